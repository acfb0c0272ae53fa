package io.twinbell.tools.importer.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.json.ControlCharacters;
import io.twinbell.tools.cli.TypedCommand;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that would exhaust memory, stack or time, or whose values would change in silence. */
class HostileImportTest {
    @TempDir
    private Path directory;

    private TypedCommand imported(String format, byte[] content) throws IOException {
        Path file = Files.write(directory.resolve("input"), content);
        return at(format, file);
    }

    private TypedCommand imported(String format, String content) throws IOException {
        return imported(format, content.getBytes(StandardCharsets.UTF_8));
    }

    private TypedCommand at(String format, Path file) {
        List<String> words = new ArrayList<>(List.of("import", format, file.toString(), "--app", "a", "--zone", "UTC"));
        words.addAll(List.of("--to", tasks().toString()));
        // A crontab has its own commands.
        if (format.equals("ics")) {
            words.addAll(List.of("--http", "http://127.0.0.1:9/x"));
        }
        return TypedCommand.twinbell(words.toArray(String[]::new));
    }

    private Path tasks() {
        return directory.resolve("tasks.yaml");
    }

    private static void assertSays(TypedCommand command, int exitCode, String... texts) {
        String all = command.out() + command.err();
        String shown = all.substring(0, Math.min(2_000, all.length()));
        assertEquals(exitCode, command.exitCode(), shown);
        for (String text : texts) {
            assertTrue(all.contains(text), text + " in\n" + shown);
        }
        assertFalse(ControlCharacters.isIn(all.replace("\n", "")), "control characters in\n" + shown);
    }

    private static String calendar(String head, String... events) {
        String all = IntStream.range(0, events.length)
                .mapToObj(i -> "BEGIN:VEVENT\r\nSUMMARY:s" + i + "\r\n" + events[i] + "\r\nEND:VEVENT\r\n")
                .collect(Collectors.joining());
        return "BEGIN:VCALENDAR\r\n" + head + all + "END:VCALENDAR\r\n";
    }

    @ParameterizedTest
    @ValueSource(strings = {"crontab", "ics"})
    void an_endless_file_a_directory_and_a_wrong_encoding_are_one_sentence(String format) throws IOException {
        assertSays(at(format, Path.of("/dev/zero")), 2, "Can't read /dev/zero: it has more than 16777216 bytes");
        assertSays(at(format, directory), 2, "Can't read " + directory + ": Is a directory");
        byte[] latin = "a\n# für\n".getBytes(StandardCharsets.ISO_8859_1);
        assertSays(imported(format, latin), 2, "as UTF-8: line 2 is not UTF-8");
        byte[] wide = "0 1 * * * x\n".getBytes(Charset.forName("UTF-16LE"));
        assertSays(imported(format, wide), 2, "line 1 has a zero byte; is it UTF-8 text?");
    }

    @Test
    void a_crontab_with_a_mark_of_byte_order_is_read() throws IOException {
        assertSays(imported("crontab", "\ufeff0 1 * * * first\n"), 0, "line 1: a/first");
    }

    @Test
    void many_equal_names_and_long_names_take_little_time() throws IOException {
        assertSays(imported("crontab", "@daily x\n".repeat(10_000)), 0, "a/x-10000,");
        assertSays(imported("crontab", "# a" + ".".repeat(3_990) + "a\n@daily x\n"), 0, "line 2: a/a");
        assertSays(imported("crontab", "@daily x\n".repeat(100_001)), 2, "more than 100000 lines");
    }

    @Test
    void environments_that_multiply_are_refused() throws IOException {
        String variables = IntStream.range(0, 100)
                .mapToObj(i -> "V" + i + "=" + "x".repeat(3_000) + "\n")
                .collect(Collectors.joining());
        assertSays(imported("crontab", variables + "@daily x\n".repeat(3_000)), 2, "line 156: ", "of environment");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 1 1 * */0 x | has a step of 0",
                "5~3 * * * * x | ends before it begins",
                "1~2/3 * * * * x | random time that is not understood",
                "@0 x | interval of 0 seconds",
                "this line is no entry at all | has \"this\", which is not a time field",
                "0 4 * monthly * x | has \"monthly\", which is not a time field",
                "@daily %x | has input, which begins with %, and no command",
                "SHELL=\\n@daily x | runs in the shell that SHELL names, and SHELL is empty",
                "HOME=/a\\tb\\n@daily x | HOME contains a tab",
                "HOME=/a\u0090b | contains a control character",
                "RANDOM_DELAY=abc | not a number of minutes",
                "RANDOM_DELAY=1441 | not a number of minutes from 0 to 1440",
                "CRON_TZ=Mars/X\\n@daily x | time zone Mars/X is unknown",
                "@daily echo a\u2028rm b | line separator such as U+2028",
                "@daily echo a\u001b[2Jb | contains a control character",
            })
    void a_line_of_a_crontab_that_no_pair_takes_or_cron_reads_otherwise_is_not_imported(String lines, String why)
            throws IOException {
        assertSays(imported("crontab", lines.translateEscapes()), 1, why);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "60 4 * * * x | has the minute 60, which is not from 0 to 59",
                "0 70~80 * * * x | has the hour 70, which is not from 0 to 23",
                "0 4 0 * * x | has the day of month 0, which is not from 1 to 31",
                "0 4 * * 5-8 x | has the day of week 8, which is not from 0 to 7",
                "0 4 * mon * x | has \"mon\", which is not a time field",
                "0 4 * janfeb * x | has \"janfeb\", which is not a time field",
                "1-2-3 4 * * * x | has \"1-2-3\", which is not a time field",
                "*/90 * * * * x | has a step of 90, which is not from 1 to 59",
                "0 4 30 2 * x | never fires: none of its months has such a day",
                "0 4 31 4,jun,9-9/2 * x | never fires",
                "0 4 30 feb */2 x | never fires",
                "0 4 29~30 2 * x | never fires",
                "0 4 30 ~ * x | never fires",
            })
    void a_time_that_the_pair_refuses_is_named_with_its_line(String line, String why) throws IOException {
        assertSays(
                imported("crontab", "@daily ok\n" + line),
                1,
                "! line 2: not imported: " + line + "\n    " + why,
                "1 tasks are written");
    }

    @Test
    void a_random_time_without_a_limit_has_that_of_the_field() throws IOException {
        imported("crontab", "~5 7~ ~ * * x\n");
        assertTrue(Files.readString(tasks()).contains("H(0-5) H(7-23) H * *"), Files.readString(tasks()));
    }

    @Test
    void components_that_nest_without_end_exhaust_no_stack() throws IOException {
        assertSays(imported("ics", "BEGIN:VCALENDAR\n".repeat(50_000)), 2, "line 2: VCALENDAR must not begin here");
    }

    @Test
    void events_that_share_a_uid_do_not_multiply_their_changes() throws IOException {
        String series = "UID:u\r\nDTSTART:20270101T100000Z\r\nRRULE:FREQ=DAILY";
        String change = "UID:u\r\nDTSTART:20270102T110000Z\r\nRECURRENCE-ID:20270102T100000Z";
        String[] events = new String[4_000];
        java.util.Arrays.fill(events, 0, 2_000, series);
        java.util.Arrays.fill(events, 2_000, 4_000, change);
        assertSays(
                imported("ics", calendar("", events)),
                1,
                "has more than 1000 exceptions and changed occurrences",
                "has the UID of the event in line 2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DTSTART:00000101T100000Z | 0000-01-01T10:00:00Z is not between 1970 and 2199",
                "DTSTART:22000101T000000Z | is not between 1970 and 2199",
                "DTSTART;TZID=UTC;TZID=Asia/Tokyo:20270101T100000 | line 4 has two TZID",
                "DTSTART;TZID=Mars/X:20270101T100000 | time zone Mars/X is unknown",
                "DTSTART: | DTSTART has \"\", which is not a date",
            })
    void a_time_of_a_calendar_that_no_task_may_have_is_named(String start, String why) throws IOException {
        TypedCommand command = imported("ics", calendar("", start));
        assertSays(command, command.exitCode(), why);
        assertFalse(command.exitCode() == 0);
    }

    @Test
    void long_zones_lists_and_lines_of_a_calendar_are_refused() throws IOException {
        assertSays(
                imported("ics", calendar("", "DTSTART;TZID=/" + "Aa/".repeat(100_000) + ":20270101T100000")),
                1,
                "time zone has more than 200");
        String dates = "20270101,".repeat(1_000) + "20270101";
        assertSays(
                imported("ics", calendar("", "DTSTART:20270101\r\nRDATE:" + dates)),
                1,
                "RDATE has more than 1000 times");
        assertSays(
                imported("ics", calendar("", "DTSTART:2027" + "\r\n 0000".repeat(300_000))), 2, "line 4 has more than");
    }

    @Test
    void the_times_of_all_events_together_are_bounded() throws IOException {
        String dates = "DTSTART:20270101\r\nRDATE:" + "20270101,".repeat(999) + "20270101";
        String[] events = new String[251];
        java.util.Arrays.fill(events, dates);
        assertSays(imported("ics", calendar("", events)), 1, "comes after 250000 times", "250 tasks are written");
    }

    @Test
    void cancelled_and_foreign_calendars_are_not_imported() throws IOException {
        String event = "DTSTART:20270101T100000Z";
        assertSays(imported("ics", calendar("METHOD:CANCEL\r\n", event)), 1, "is cancelled");
        assertSays(imported("ics", calendar("CALSCALE:HEBREW\r\n", event)), 2, "CALSCALE HEBREW");
        assertSays(
                imported("ics", calendar("", event + "\r\nLOCATION:hall\r\nATTACH:x")),
                0,
                "left out: ATTACH, LOCATION");
    }
}
