package io.twinbell.tools.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final StringWriter told = new StringWriter();
    private long nanos;

    @Test
    void it_is_a_plain_line_now_and_then() {
        Progress progress = new Progress(new PrintWriter(told), "importing", () -> nanos);
        for (int done = 1; done <= 100; done++) {
            nanos += Duration.ofMillis(350).toNanos();
            progress.at(done, 100, "tasks");
        }
        assertEquals(
                "importing: 29 of 100 tasks (29%)\nimporting: 58 of 100 tasks (58%)\nimporting: 87 of 100 tasks (87%)\n",
                told.toString().replace("\r\n", "\n"));
    }

    @Test
    void colours_are_for_terminals_whose_owner_does_not_mind() {
        assertTrue(Terminal.of("012", "120", Map.of("TERM", "xterm")).hasColours());
        assertEquals(120, Terminal.of("012", "120", Map.of()).columns());
        assertFalse(Terminal.of("012", "", Map.of("NO_COLOR", "1")).hasColours());
        assertFalse(Terminal.of("012", "", Map.of("TERM", "dumb")).hasColours());
        assertFalse(Terminal.of("02", "x", Map.of()).hasColours());
    }
}
