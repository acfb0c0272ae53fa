package io.twinbell.lab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplicaFilesTest {
    @TempDir
    Path run;

    @Test
    void a_copy_has_the_tables_and_the_timelines_and_nothing_of_the_running_server() {
        List<String> copied = Stream.of(
                        "PG_VERSION",
                        "base/1/1259",
                        "global/pg_control",
                        "pg_wal/00000002.history",
                        "pg_wal/000000020000000000000003",
                        "pg_replslot/one/state",
                        "postmaster.pid",
                        "epg-lock",
                        "standby.signal",
                        "postgresql.auto.conf",
                        "postgresql.conf")
                .filter(file -> ReplicaFiles.isCopied(Path.of(file)))
                .toList();

        assertEquals(
                List.of("PG_VERSION", "base/1/1259", "global/pg_control", "pg_wal/00000002.history", "postgresql.conf"),
                copied);
    }

    @Test
    void a_server_that_follows_another_waits_for_no_replica_of_its_own() throws Exception {
        Path data = Files.createDirectories(run.resolve("postgres").resolve("data"));
        ReplicaFiles.follow(run, "127.0.0.1", 5433);

        List<String> lines = Files.readAllLines(data.resolve("postgresql.auto.conf"));
        assertTrue(lines.contains("synchronous_standby_names = ''"), lines::toString);
        assertTrue(
                lines.stream()
                        .anyMatch(line -> line.startsWith("primary_conninfo = 'host=127.0.0.1 port=5433 ")
                                && line.contains("application_name=" + ReplicaFiles.NAME)),
                lines::toString);
        assertTrue(Files.exists(data.resolve("standby.signal")));
    }
}
