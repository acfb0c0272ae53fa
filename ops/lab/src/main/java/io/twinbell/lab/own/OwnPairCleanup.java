package io.twinbell.lab.own;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Deletes what the servers of an earlier pair stored. Keeps PostgreSQL's unpacked binaries and the latest logs. */
final class OwnPairCleanup {
    private OwnPairCleanup() {}

    static void of(Path run) throws IOException {
        for (Path home : List.of(run, run.resolve(OwnPair.SECOND_DATABASE))) {
            data(home);
            remove(home.resolve("tmp"));
            keepOnce(home.resolve("logs"));
        }
        for (String member : ComponentHosts.ENSEMBLE) {
            remove(run.resolve(member));
        }
    }

    /** Deletes what the PostgreSQL server of a home stored. */
    static void data(Path home) throws IOException {
        remove(home.resolve("postgres").resolve("data"));
    }

    /** Keeps the previous pair's logs for one more pair, because they may explain a round that was broken off. */
    private static void keepOnce(Path logs) throws IOException {
        Path before = logs.resolveSibling("logs-before");
        if (Files.exists(logs)) {
            remove(before);
            Files.move(logs, before);
        }
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
