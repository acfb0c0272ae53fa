package io.twinbell.tools.cli.task;

import static io.twinbell.tools.cli.TypedCommand.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.cli.StubNode;
import io.twinbell.tools.cli.TypedCommand;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BulkChangeTest {
    private final Deque<Runnable> writes = new ArrayDeque<>();

    @AutoClose
    private final StubNode node = StubNode.start("a", "MASTER", 3);

    @BeforeEach
    void startNode() throws Exception {
        node.onSwitchover(() -> writes.remove().run());
    }

    private TypedCommand task(String... words) {
        return TypedCommand.twinbell(Stream.concat(
                        Stream.of("task"), Stream.concat(Arrays.stream(words), Stream.of("--url", node.url())))
                .toArray(String[]::new));
    }

    private void answers(String path, String... parts) {
        for (String part : parts) {
            writes.add(() -> node.answer(path, part));
        }
    }

    private List<String> changes() {
        return node.requests().stream().filter(line -> !line.startsWith("GET")).toList();
    }

    @Test
    void a_removal_goes_on_until_the_node_has_no_more_and_counts_on_the_way() {
        answers(
                "/api/v1/tasks",
                "{\"changed\":5000,\"next\":\"7001\"}",
                "{\"changed\":4000,\"next\":\"12001\"}",
                "{\"changed\":1}");
        TypedCommand done = task("rm", "--app", "a b", "--yes");
        assertExit(0, done);
        assertEquals("9001 tasks removed\n", done.out());
        assertEquals("5000 tasks removed so far\n9000 tasks removed so far\n", done.err());
        assertEquals(
                List.of(
                        "DELETE /api/v1/tasks?app=a%20b ",
                        "DELETE /api/v1/tasks?app=a%20b&after=7001 ", "DELETE /api/v1/tasks?app=a%20b&after=12001 "),
                changes());
    }

    @Test
    void a_pause_and_a_resume_send_their_body_with_each_part_and_print_one_document() {
        answers("/api/v1/tasks/pause", "{\"changed\":2,\"next\":\"9\"}", "{\"changed\":0}");
        answers("/api/v1/tasks/resume", "{\"changed\":2,\"next\":\"9\"}", "{\"changed\":3}");
        TypedCommand paused = task("pause", "--tag", "t", "--reason", "disks");
        TypedCommand resumed = task("resume", "--tag", "t", "--output", "json");
        assertEquals("2 tasks paused\n", paused.out());
        assertEquals("{\"changed\":5}", resumed.out().replaceAll("\\s", ""));
        assertTrue(
                changes().stream().limit(2).allMatch(line -> line.contains("\"reason\":\"disks\"")),
                changes()::toString);
        assertEquals(4, changes().size());
    }

    @Test
    void a_trigger_by_filter_runs_every_part_and_fails_if_a_definition_cannot_be_read() {
        answers(
                "/api/v1/tasks/trigger",
                "{\"triggered\":5000,\"unreadable\":0,\"next\":\"7001\"}",
                "{\"triggered\":7,\"unreadable\":2}");
        TypedCommand done = task("trigger", "--tag", "t", "--reason", "after the repair");
        assertExit(1, done);
        assertEquals("5007 tasks triggered\n", done.out());
        assertTrue(done.err().contains("left out, because the definition cannot be read: 2\n"), done.err());
        assertEquals(2, changes().size());
    }

    @Test
    void a_trigger_by_filter_cannot_wait_for_outcomes() {
        TypedCommand refused = task("trigger", "--tag", "t", "--wait", "5s");
        assertExit(2, refused);
        assertTrue(refused.err().contains("--wait needs tasks, not a filter"), refused.err());
        assertEquals(List.of(), changes());
    }

    @Test
    void a_removal_goes_on_at_the_other_node_when_its_node_dies_in_the_middle() throws Exception {
        try (StubNode master = StubNode.start("a", "MASTER", 3);
                StubNode other = StubNode.start("b", "STANDBY", 3)) {
            Deque<Runnable> parts = new ArrayDeque<>();
            parts.add(() -> master.answer("/api/v1/tasks", "{\"changed\":5,\"next\":\"7\"}"));
            parts.add(master::die);
            master.onSwitchover(() -> parts.remove().run());
            other.answer("/api/v1/tasks", "{\"changed\":4}");

            TypedCommand removed = TypedCommand.twinbell(
                    ("task rm --app shop --yes --url " + master.url() + " --url " + other.url()).split(" "));

            assertEquals(0, removed.exitCode(), removed.err());
            assertEquals("9 tasks removed\n", removed.out());
            assertTrue(removed.err().contains("No answer from " + master.url()), removed.err());
            List<String> taken = other.requests().stream()
                    .filter(line -> line.startsWith("DELETE"))
                    .toList();
            assertEquals(1, taken.size());
            assertTrue(taken.get(0).contains("&after=7"), taken::toString);
        }
    }

    @Test
    void a_trigger_by_filter_is_not_repeated_at_the_other_node() throws Exception {
        try (StubNode other = StubNode.start("b", "STANDBY", 3)) {
            node.onSwitchover(node::die);
            other.answer("/api/v1/tasks/trigger", "{\"triggered\":4}");
            TypedCommand failed =
                    TypedCommand.twinbell("task", "trigger", "--tag", "t", "--url", node.url(), "--url", other.url());
            assertExit(3, failed);
            assertEquals(List.of(), other.requests());
        }
    }

    @Test
    void a_part_that_fails_ends_the_command_with_what_was_done_before() {
        answers("/api/v1/tasks", "{\"changed\":5000,\"next\":\"7001\"}");
        writes.add(() -> node.isUnavailable());
        TypedCommand failed = task("rm", "--app", "a", "--yes");
        assertTrue(failed.exitCode() != 0);
        assertEquals("", failed.out());
        assertTrue(
                failed.err().contains("5000 tasks removed before the error; repeat the command for the rest"),
                failed.err());
    }
}
