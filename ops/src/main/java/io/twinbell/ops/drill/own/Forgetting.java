package io.twinbell.ops.drill.own;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Removes what the servers of an earlier pair stored; PostgreSQL's unpacked binaries stay. */
final class Forgetting {
    private Forgetting() {}

    static void of(Path run) throws IOException {
        remove(run.resolve("postgres").resolve("data"));
        for (String member : Hosts.ENSEMBLE) {
            remove(run.resolve(member));
        }
        remove(run.resolve("tmp"));
        remove(run.resolve("logs"));
    }

    private static void remove(Path top) throws IOException {
        if (Files.notExists(top)) {
            return;
        }
        List<Path> deepestFirst;
        try (Stream<Path> tree = Files.walk(top)) {
            deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : deepestFirst) {
            Files.delete(path);
        }
    }
}
