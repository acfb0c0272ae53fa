package io.twinbell.ops.pair;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Where the embedded PostgreSQL lives: its unpacked binaries, its data, and a mark that both are whole. */
final class PostgresHome {
    private final Path home;

    private PostgresHome(Path home) {
        this.home = home;
    }

    static PostgresHome in(Path run) {
        return new PostgresHome(run.resolve("postgres"));
    }

    Path binaries() {
        return home.resolve("binaries");
    }

    Path data() {
        return home.resolve("data");
    }

    /**
     * Removes what an interrupted first start left: neither half-unpacked binaries nor a half-made data directory would
     * be noticed by the library.
     *
     * @return whether the coming start is a first one
     */
    boolean prepare() throws IOException {
        boolean first = Files.notExists(mark());
        if (first) {
            empty(binaries());
            empty(data());
        }
        Files.createDirectories(binaries());
        return first;
    }

    /** Writes whom the server trusts: whoever comes from the networks of its addresses. */
    Path trust(Collection<String> addresses) throws IOException {
        Path file = home.resolve("pg_hba.conf");
        Files.write(
                file,
                addresses.stream()
                        .map(address -> "host all all " + address
                                + (address.equals(LoopbackPort.ADDRESS) ? "/32" : "/16") + " trust")
                        .toList());
        return file;
    }

    void initialised() throws IOException {
        if (Files.notExists(mark())) {
            Files.createFile(mark());
        }
    }

    private Path mark() {
        return home.resolve("initialised");
    }

    /** The directory itself stays: it may be a file system of its own. */
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
