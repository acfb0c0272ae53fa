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
    void on_a_terminal_it_is_one_line_that_is_gone_at_the_end() {
        try (Progress progress = on(terminal(60))) {
            progress.at(1, 4, "tasks");
            assertEquals("\r\033[Kimporting [######                  ] 25% 1 of 4 tasks", told.toString());
            progress.at(2, 4, "tasks");
            assertFalse(told.toString().contains("50%"), "drawn again at once");
            pass(Duration.ofSeconds(6));
            progress.at(3, 4, "tasks");
            assertTrue(told.toString().endsWith("75% 3 of 4 tasks, 2 s "), told.toString());
        }
        assertTrue(told.toString().endsWith("\r\033[K"));
        assertFalse(told.toString().contains("\n"));
    }

    @Test
    void a_bar_never_wraps() {
        on(terminal(20)).at(0.5, "a name that is far too long for such a terminal");
        assertEquals("\r\033[K".length() + 19, told.toString().length());
    }

    @Test
    void a_line_that_stays_is_above_the_bar() {
        Progress progress = on(terminal(60));
        progress.at(3, 0, "tasks");
        progress.print("refused: x");
        assertEquals(
                "\r\033[Kimporting 3 tasks\r\033[Krefused: x\n\r\033[Kimporting 3 tasks",
                told.toString().replace("\r\n", "\n"));
    }

    @Test
    void other_output_stays_above_the_bar() {
        Progress progress = on(terminal(60));
        PrintWriter above = progress.above(new PrintWriter(told));
        progress.at(3, 0, "rounds");
        above.println("a node was killed");
        assertEquals(
                "\r\033[Kimporting 3 rounds\r\033[Ka node was killed\n\r\033[Kimporting 3 rounds",
                told.toString().replace("\r\n", "\n"));
    }

    @Test
    void elsewhere_it_is_a_plain_line_now_and_then() {
        try (Progress progress = on(Terminal.NONE)) {
            for (int done = 1; done <= 100; done++) {
                pass(Duration.ofMillis(350));
                progress.at(done, 100, "tasks");
            }
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
        assertTrue(Terminal.of("2", "x", Map.of()).showsErr());
    }

    private Progress on(Terminal terminal) {
        return new Progress(new PrintWriter(told), terminal, "importing", () -> nanos);
    }

    private static Terminal terminal(int columns) {
        return new Terminal(true, true, true, columns, true);
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }
}
