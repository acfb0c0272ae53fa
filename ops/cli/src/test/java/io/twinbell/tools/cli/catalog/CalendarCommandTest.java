package io.twinbell.tools.cli.catalog;

import static io.twinbell.tools.cli.TypedCommand.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.cli.StubNode;
import io.twinbell.tools.cli.TypedCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CalendarCommandTest {
    private static final String CLOSED = "{\"name\":\"a b\",\"version\":7,\"zone\":\"UTC\",\"mode\":\"EXCLUDE\","
            + "\"dates\":[\"2026-12-25\"],\"source\":null,\"createdAt\":\"2026-11-21T09:00:00.000Z\"}";
    private static final String FILE = "BEGIN:VCALENDAR\nEND:VCALENDAR\n";

    @TempDir
    private Path folder;

    @AutoClose
    private final StubNode node = StubNode.start("a", "MASTER", 3);

    @BeforeEach
    void startNode() throws Exception {
        node.answer("/api/v1/calendars", "{\"items\":[" + CLOSED + "],\"next\":null}");
        node.answer("/api/v1/calendars/a b", CLOSED);
    }

    @Test
    void list_prints_a_line_for_each() {
        TypedCommand list = calendar("list");
        assertExit(0, list);
        assertEquals("a b EXCLUDE UTC version=7\n", list.out());
    }

    @Test
    void show_prints_what_may_be_put_again() {
        String shown = calendar("show", "a b").out();
        assertTrue(shown.contains("\"2026-12-25\"") && shown.contains("\"version\" : 7"), shown);
        assertTrue(!shown.contains("createdAt") && !shown.contains("source"), shown);
        assertExit(1, calendar("show", "a b", "--source"));
    }

    @Test
    void put_sends_json_and_holiday_files_as_they_are() throws Exception {
        Path json = Files.writeString(folder.resolve("c.json"), "{\"dates\":[]}");
        Path file = Files.writeString(folder.resolve("c.ics"), FILE);
        assertEquals(
                "a b EXCLUDE UTC version=7\n",
                calendar("put", "a b", json.toString()).out());
        assertExit(0, calendar("put", "a b", file.toString(), "--zone", "Europe/Berlin", "--mode", "ALLOW"));
        assertEquals(
                List.of(
                        "PUT /api/v1/calendars/a%20b {\"dates\":[]}",
                        "PUT /api/v1/calendars/a%20b?zone=Europe%2FBerlin&mode=ALLOW " + FILE),
                node.requests());
    }

    @Test
    void put_recognizes_a_holiday_file_in_lower_case_or_with_a_byte_order_mark() throws Exception {
        Path file = Files.writeString(folder.resolve("c.ics"), "\uFEFF" + FILE.replace("BEGIN", "begin"));
        TypedCommand put = calendar("put", "a b", file.toString(), "--mode", "ALLOW");
        assertExit(0, put);
        assertEquals(
                List.of("PUT /api/v1/calendars/a%20b?mode=ALLOW " + FILE.replace("BEGIN", "begin")), node.requests());
    }

    @Test
    void an_unreadable_or_unfitting_value_is_reported_in_a_sentence() throws Exception {
        TypedCommand absent = calendar("put", "a b", folder.resolve("absent").toString());
        assertExit(2, absent);
        assertTrue(absent.err().startsWith("Can't read "), absent.err());
        Path json = Files.writeString(folder.resolve("c.json"), "{}");
        assertExit(2, calendar("put", "a b", json.toString(), "--zone", "UTC"));
        assertEquals(List.of(), node.requests());
    }

    @Test
    void rm_tells_why_a_node_refuses() {
        assertExit(0, calendar("rm", "a b"));
        node.refuse("{\"title\":\"No\",\"detail\":\"the calendar is respected by 1: billing/a (1)\"}");
        TypedCommand refused = calendar("rm", "a b");
        assertTrue(refused.exitCode() != 0 && refused.err().contains("billing/a (1)"), refused.err());
    }

    private TypedCommand calendar(String command, String... more) {
        String[] typed = new String[more.length + 4];
        typed[0] = "calendar";
        typed[1] = command;
        System.arraycopy(more, 0, typed, 2, more.length);
        typed[more.length + 2] = "--url";
        typed[more.length + 3] = node.url();
        return TypedCommand.twinbell(typed);
    }
}
