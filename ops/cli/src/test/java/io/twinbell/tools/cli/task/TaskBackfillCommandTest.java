package io.twinbell.tools.cli.task;

import static io.twinbell.tools.cli.TypedCommand.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.cli.StubNode;
import io.twinbell.tools.cli.TypedCommand;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class TaskBackfillCommandTest {
    @AutoClose
    private final StubNode node = StubNode.start("a", "MASTER", 3);

    private TypedCommand backfill(String... words) {
        return node.twinbell(List.of("task", "backfill"), words);
    }

    @Test
    void a_cancel_sends_its_reason() {
        node.answer("/api/v1/tasks/7/backfill", "{\"taskId\":7,\"cancelled\":2}");
        TypedCommand done = backfill("7", "--cancel", "--reason", "wrong month");
        assertExit(0, done);
        assertEquals("2 backfilled slots are cancelled\n", done.out());
        assertEquals(
                List.of("DELETE /api/v1/tasks/7/backfill?reason=wrong%20month "),
                node.requests().stream().filter(line -> !line.startsWith("GET")).toList());
    }

    @Test
    void a_cancel_refuses_the_options_of_a_backfill() {
        for (List<String> option : List.of(List.of("--dry-run"), List.of("--pace", "30s"))) {
            TypedCommand refused = backfill(
                    Stream.concat(Stream.of("7", "--cancel"), option.stream()).toArray(String[]::new));
            assertExit(2, refused);
            assertTrue(refused.err().startsWith("--dry-run and --pace are for --from and --to"), refused.err());
        }
        assertEquals(List.of(), node.requests());
    }
}
