package io.twinbell.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.TestPostgres;
import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

@Tag("thorough")
class InstalledDrillTest {
    @TempDir
    private Path temporary;

    @Test
    void an_installed_pair_is_drilled_on_the_machine_of_its_master() throws Exception {
        withPair((a, b) -> {
            assertRefused(b, "Run 'twinbell drill freeze' where node a is installed", "freeze");
            assertPasses(a, "a -> b", "kill");
            assertEquals("No tasks found\n", a.command("task", "list").said(), "a drill removes its task");
        });
    }

    @Test
    @EnabledIfSystemProperty(
            named = "twinbell.drills",
            matches = "all",
            disabledReason = "it takes some minutes: -Dtwinbell.drills=all runs it")
    void an_installed_pair_stands_every_drill() throws Exception {
        withPair((a, b) -> {
            assertPasses(a, "a -> b", "kill");
            b.awaitFailoverReady();
            assertPasses(b, "b -> a", "stop");
            b.awaitFailoverReady();
            assertPasses(b, "a -> b", "switchover");
            b.awaitFailoverReady();
            assertPasses(b, "b -> a", "freeze");
            assertEquals("No tasks found\n", a.command("task", "list").said(), "each drill removes its task");
        });
    }

    /** What is done with a running pair; node a is its master. */
    private interface Drills {
        void run(Unpacked a, Unpacked b) throws Exception;
    }

    private void withPair(Drills drills) throws Exception {
        Unpacked a = Unpacked.in(temporary.resolve("a"));
        Unpacked b = Unpacked.in(temporary.resolve("b"));
        PGSimpleDataSource database = TestPostgres.emptyDatabase();
        try (TestingServer zooKeeper = new TestingServer(true)) {
            a.configure("a", database, zooKeeper.getConnectString());
            b.configure("b", database, zooKeeper.getConnectString());
            try {
                a.start();
                a.awaitMaster();
                assertRefused(a, "the pair is not ready for a failover: [\"there is no standby", "kill");
                b.start();
                b.awaitFailoverReady();
                drills.run(a, b);
            } finally {
                a.node("stop");
                b.node("stop");
            }
        }
    }

    private static void assertPasses(Unpacked where, String roles, String drill) throws Exception {
        Unpacked.Outcome outcome = where.command("drill", drill);
        assertEquals(0, outcome.exitCode(), outcome.said());
        assertTrue(outcome.said().contains("master    " + roles), outcome.said());
        assertTrue(outcome.said().contains("verdict   SOUND"), outcome.said());
        assertTrue(outcome.said().endsWith("PASSED\n"), outcome.said());
    }

    @Test
    void a_drill_that_a_package_cannot_run_is_refused_with_an_alternative() throws Exception {
        Unpacked unpacked = Unpacked.in(temporary);
        assertRefused(unpacked, "scripts/drill all.", "all");
        assertRefused(unpacked, "scripts/drill crash-database.", "crash-database");
        assertRefused(unpacked, "scripts/drill database-outage.", "database-outage");
        assertRefused(unpacked, "a drill of an installed pair does not accept --own", "kill", "--own");
        assertRefused(unpacked, "a drill of an installed pair does not accept --rounds", "kill", "--rounds", "2");
        assertRefused(unpacked, "scripts/drill kill.", "kill", "--own", "--run", temporary.toString());
        Unpacked.Outcome list = unpacked.command("drill", "list");
        assertEquals(0, list.exitCode());
        assertTrue(list.said().startsWith("  switchover "), list.said());
    }

    private static void assertRefused(Unpacked unpacked, String why, String... words) throws Exception {
        String[] command =
                Stream.concat(Stream.of("drill"), Arrays.stream(words)).toArray(String[]::new);
        Unpacked.Outcome outcome = unpacked.command(command);
        assertEquals(2, outcome.exitCode(), outcome.said());
        assertTrue(
                outcome.said().startsWith("the drill cannot start: ")
                        && outcome.said().contains(why),
                outcome.said());
    }

    @Test
    void the_package_has_every_class_that_its_commands_load() throws Exception {
        Path lib = Unpacked.in(temporary).top().resolve("lib");
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said, true);
        List<String> options = Stream.concat(
                        Stream.of("--multi-release", "base", "-q", "--missing-deps", "-cp", jars(lib, "")),
                        Stream.of(jars(lib, "twinbell-").split(File.pathSeparator)))
                .toList();
        int exitCode = ToolProvider.findFirst("jdeps").orElseThrow().run(out, out, options.toArray(String[]::new));
        assertEquals(0, exitCode, said::toString);
        // Only the servers of a development pair and of a drill's own pair, which the command line refuses to start.
        assertEquals(
                new TreeSet<>(List.of("io.twinbell.tools.devpair.DevPostgres")),
                said.toString()
                        .lines()
                        .filter(line -> line.startsWith("   "))
                        .map(line -> line.strip().split(" ")[0])
                        .collect(Collectors.toCollection(TreeSet::new)),
                said::toString);
    }

    @Test
    void each_command_of_the_package_shows_its_help() throws Exception {
        Unpacked unpacked = Unpacked.in(temporary);
        List<String> commands = unpacked.command("--help")
                .said()
                .lines()
                .dropWhile(line -> !line.equals("Commands:"))
                .skip(1)
                .takeWhile(line -> line.startsWith("  "))
                .filter(line -> !line.startsWith("   "))
                .map(line -> line.strip().split("[ ,]")[0])
                .toList();
        assertTrue(commands.contains("drill") && commands.contains("doctor"), commands::toString);
        for (String command : commands) {
            Unpacked.Outcome help = unpacked.command(command, "--help");
            assertEquals(0, help.exitCode(), help.said());
        }
    }

    private static String jars(Path lib, String prefix) throws Exception {
        try (Stream<Path> files = Files.list(lib)) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .map(Path::toString)
                    .collect(Collectors.joining(File.pathSeparator));
        }
    }
}
