package io.twinbell.ops.pair;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

/** The one password of all roles of a development pair's PostgreSQL, in a file that only its owner may read. */
public final class DevPassword {
    /** In the run directory. The scripts make it too, if they come first. */
    private static final String FILE = "postgres.password";

    private static final int BYTES = 16;

    private DevPassword() {}

    /** Makes it if it is missing. */
    public static String in(Path run) throws IOException {
        Path file = run.resolve(FILE);
        byte[] random = new byte[BYTES];
        new SecureRandom().nextBytes(random);
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, HexFormat.of().formatHex(random) + "\n");
        } catch (FileAlreadyExistsException madeBefore) {
            return Files.readString(file).strip();
        }
        return Files.readString(file).strip();
    }
}
