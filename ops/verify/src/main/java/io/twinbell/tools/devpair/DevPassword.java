package io.twinbell.tools.devpair;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

/** The password of all PostgreSQL roles of a development pair, in a file that only its owner may read. */
public final class DevPassword {
    /** In the run directory. The scripts create the file, too, if they run first. */
    private static final String FILE = "postgres.password";

    private static final int BYTES = 16;

    private DevPassword() {}

    /** Copies the primary's password to a replica's run directory; returns the password. */
    public static String copy(Path from, Path to) throws IOException {
        String password = in(from);
        Files.createDirectories(to);
        Files.copy(
                from.resolve(FILE),
                to.resolve(FILE),
                StandardCopyOption.COPY_ATTRIBUTES,
                StandardCopyOption.REPLACE_EXISTING);
        return password;
    }

    /** Returns the password; creates the file if it is missing. */
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
