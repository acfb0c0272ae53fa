package io.twinbell.tools.devpair;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** The directory of the embedded PostgreSQL: unpacked binaries, data, and a marker that both are complete. */
public final class PostgresHome {
    private final Path home;

    private PostgresHome(Path home) {
        this.home = home;
    }

    public static PostgresHome in(Path run) {
        return new PostgresHome(run.resolve("postgres"));
    }

    public Path binaries() {
        return home.resolve("binaries");
    }

    public Path data() {
        return home.resolve("data");
    }

    /**
     * Removes what an interrupted first start left. The library notices neither half-unpacked binaries nor an
     * incomplete data directory. It also unpacks the binaries into a directory that every user may write to, so this
     * directory is closed to other users.
     *
     * @return whether the coming start is the first one
     */
    boolean prepare() throws IOException {
        Files.createDirectories(home);
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));
        boolean first = Files.notExists(mark());
        if (first) {
            empty(binaries());
            empty(data());
        }
        Files.createDirectories(binaries());
        return first;
    }

    /** Configures access without a password from this machine only, until a password is set. */
    Path trust() throws IOException {
        return Files.write(access(), List.of("host all all " + LoopbackPort.ADDRESS + "/32 trust"));
    }

    /** Configures access with the password, from the networks of the server's addresses. */
    Path askPasswords(Collection<String> addresses) throws IOException {
        return Files.write(
                access(),
                addresses.stream()
                        .map(address -> address + (address.equals(LoopbackPort.ADDRESS) ? "/32" : "/16"))
                        .flatMap(from -> Stream.of("all", "replication")
                                .map(database -> "host " + database + " all " + from + " scram-sha-256"))
                        .toList());
    }

    /** Empties the directory for a copy of another server's data, whose roles have this password. */
    public void beginCopy(String password) throws IOException {
        Files.createDirectories(home);
        empty(data());
        initialised();
        passwordSet(password);
    }

    private Path access() {
        return home.resolve("pg_hba.conf");
    }

    /** Whether the server's roles have this password; false if the data directory was removed since. */
    boolean hasPassword(String password) throws IOException {
        return Files.exists(mark())
                && Files.exists(data().resolve("PG_VERSION"))
                && Files.exists(set())
                && Files.readString(set()).equals(fingerprint(password));
    }

    /** Records that all roles have this password from now on. */
    void passwordSet(String password) throws IOException {
        Files.writeString(set(), fingerprint(password));
    }

    private Path set() {
        return home.resolve("password.set");
    }

    private static String fingerprint(String password) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(password.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    void initialised() throws IOException {
        if (Files.notExists(mark())) {
            Files.createFile(mark());
        }
    }

    private Path mark() {
        return home.resolve("initialised");
    }

    /** Deletes the content, not the directory itself, which may be a file system. */
    private static void empty(Path top) throws IOException {
        if (Files.notExists(top)) {
            return;
        }
        List<Path> deepestFirst;
        try (Stream<Path> tree = Files.walk(top)) {
            deepestFirst = tree.filter(path -> !path.equals(top))
                    .sorted(Comparator.reverseOrder())
                    .toList();
        }
        for (Path path : deepestFirst) {
            Files.delete(path);
        }
    }
}
