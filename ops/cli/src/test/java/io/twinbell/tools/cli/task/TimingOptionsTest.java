package io.twinbell.tools.cli.task;

import static io.twinbell.tools.cli.TypedCommand.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.cli.StubNode;
import io.twinbell.tools.cli.TypedCommand;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class TimingOptionsTest {
    @AutoClose
    private final StubNode node = StubNode.start("a", "MASTER", 3);

    private TypedCommand add(String... words) {
        return node.twinbell(List.of("task", "add"), words);
    }

    @Test
    void an_option_beside_a_file_is_refused() {
        TypedCommand refused = add("-f", "tasks.yaml", "--fixed-delay");
        assertEquals(2, refused.exitCode());
        assertTrue(refused.err().startsWith("Give either APP/NAME and options, or -f FILE"), refused.err());
    }

    @Test
    void a_schedule_and_a_handler_of_the_api_are_sent_as_they_are_typed() {
        String schedule = "{\"cron\":\"0 5 * * *\",\"dstGap\":\"SKIP\",\"zone\":\"Asia/Tokyo\"}";
        String handler = "{\"type\":\"http\",\"url\":\"http://127.0.0.1:9/x\",\"secret\":{\"ref\":\"KEY\"}}";
        add("a/b", "--schedule", schedule, "--handler", handler);
        String sent = String.join("\n", node.requests());
        assertTrue(sent.contains("\"schedule\":" + schedule) && sent.contains("\"handler\":" + handler), sent);
        TypedCommand twice = add("a/b", "--every", "1h", "--handler", handler, "--header", "A: b");
        assertTrue(twice.err().startsWith("--method, --header and --body require --http"), twice.err());
    }

    @Test
    void a_zone_for_an_interval_or_a_delay_is_refused_unless_a_time_is_given() {
        for (String option : List.of("--every", "--in")) {
            TypedCommand refused = add("a/b", option, "1h", "--zone", "Europe/Berlin", "--log");
            assertExit(2, refused);
            assertTrue(refused.err().startsWith("--zone has no effect on --every and --in"), refused.err());
        }
        assertEquals(List.of(), node.requests());
        add("a/b", "--every", "1h", "--start", "2030-01-01", "--zone", "Europe/Berlin", "--log");
        assertTrue(
                node.requests().stream().anyMatch(line -> line.contains("\"start\":\"2029-12-31T23:00:00Z\"")),
                node.requests().toString());
    }
}
