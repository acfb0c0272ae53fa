package io.twinbell.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.lab.stage.LocalPair;
import io.twinbell.lab.stage.RoleAssignment;
import io.twinbell.tools.client.NodeStatus;
import io.twinbell.tools.client.PairSnapshot;
import io.twinbell.tools.drill.DrillException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DrillCommandTest {
    @TempDir
    private Path project;

    private final StringWriter err = new StringWriter();
    private Path run;

    @BeforeEach
    void makeProject() throws Exception {
        run = Files.createDirectory(project.resolve("run"));
        Path script = Files.createDirectory(project.resolve("scripts")).resolve("pair");
        Files.createFile(script);
        assertTrue(script.toFile().setExecutable(true));
    }

    @Test
    void where_no_pair_was_started_it_refuses() {
        assertEquals(2, kill());
        assertTrue(err.toString().startsWith("the drill cannot start: no pair was started in " + run), err::toString);
    }

    @Test
    void where_no_node_answers_it_refuses_and_leaves_nothing_behind() throws Exception {
        // No program listens on port 1.
        Files.writeString(run.resolve("settings"), "http_a=1\nhttp_b=1\n");

        assertEquals(2, kill());
        assertTrue(err.toString().startsWith("the drill cannot start: there is not exactly one master"), err::toString);
        assertTrue(Files.notExists(run.resolve("drills")));
    }

    @Test
    void a_run_directory_without_its_project_is_refused() throws Exception {
        Files.writeString(run.resolve("settings"), "http_a=1\nhttp_b=1\n");
        Files.delete(project.resolve("scripts").resolve("pair"));

        assertEquals(2, kill());
        assertTrue(err.toString().contains("no scripts/pair beside it"), err::toString);
    }

    @Test
    void a_mistyped_option_is_refused() {
        assertEquals(2, kill("--rounds", "0"));
        assertEquals(2, kill("--tasks", "10001"));
        assertEquals(2, kill("--seed", "x"));
        assertEquals(2, kill("--times", "0"));
        assertEquals(2, kill("--lasts", "PT0S"));
    }

    @Test
    void an_option_that_the_drill_does_not_have_is_refused() {
        assertEquals(2, kill("--times", "3"));
        assertTrue(err.toString().startsWith("the drill kill has no --times"), err::toString);
        assertEquals(2, drill("random", "--lasts", "PT1M"));
        assertTrue(err.toString().contains("the drill random has no --lasts"), err::toString);
        assertEquals(2, drill("watch-vacuum", "--lasts", "PT1M"));
        assertTrue(err.toString().contains("the drill cannot start: no pair was started in " + run), err::toString);
    }

    @Test
    void a_drill_that_does_not_exist_is_refused_with_those_that_do() {
        assertEquals(
                2,
                new CommandLine(new DrillCommand())
                        .setErr(new PrintWriter(err, true))
                        .execute("flood", "--run", run.toString()));
        assertTrue(err.toString().startsWith("there is no drill named flood; there are"), err::toString);
        assertTrue(err.toString().contains("Freezes ZooKeeper for 15 s."), err::toString);
    }

    @Test
    void a_master_without_a_standby_is_not_killed() throws Exception {
        LocalPair pair = pair();

        assertEquals(new RoleAssignment("a", "b", 3), RoleAssignment.of(pair, status(pair, "MASTER", "STANDBY")));
        assertThrows(DrillException.Refused.class, () -> RoleAssignment.of(pair, status(pair, "MASTER", "PROMOTING")));
        assertThrows(DrillException.Refused.class, () -> RoleAssignment.of(pair, status(pair, "MASTER", "MASTER")));
        assertThrows(DrillException.Refused.class, () -> RoleAssignment.of(pair, status(pair, "STANDBY", "STANDBY")));
    }

    @Test
    void a_node_that_answers_at_anothers_address_is_of_another_pair() throws Exception {
        LocalPair pair = pair();
        PairSnapshot crossed = new PairSnapshot(List.of(
                new NodeStatus("a", "MASTER", 3, pair.address("b").toString(), null),
                new NodeStatus("b", "STANDBY", 3, pair.address("a").toString(), null)));

        assertThrows(DrillException.Refused.class, () -> RoleAssignment.of(pair, crossed));
    }

    @Test
    void a_pair_whose_takeovers_are_on_hold_is_not_drilled() throws Exception {
        LocalPair pair = pair();
        PairSnapshot held = new PairSnapshot(List.of(
                new NodeStatus("a", "MASTER", 3, pair.address("a").toString(), null, false, true, null),
                new NodeStatus("b", "STANDBY", 3, pair.address("b").toString(), null, false, true, null)));

        String refusal = assertThrows(DrillException.Refused.class, () -> RoleAssignment.of(pair, held))
                .getMessage();
        assertTrue(refusal.contains("on hold"), refusal);
    }

    private LocalPair pair() throws Exception {
        Files.writeString(run.resolve("settings"), "http_a=1\nhttp_b=2\n");
        return LocalPair.in(run);
    }

    private static PairSnapshot status(LocalPair pair, String roleOfA, String roleOfB) {
        return new PairSnapshot(List.of(
                new NodeStatus("a", roleOfA, 3, pair.address("a").toString(), null),
                new NodeStatus("b", roleOfB, 3, pair.address("b").toString(), null)));
    }

    private int kill(String... arguments) {
        return drill("kill", arguments);
    }

    private int drill(String name, String... arguments) {
        return new CommandLine(new DrillCommand())
                .setErr(new PrintWriter(err, true))
                .execute(Stream.concat(Stream.of(name, "--run", run.toString()), Arrays.stream(arguments))
                        .toArray(String[]::new));
    }
}
