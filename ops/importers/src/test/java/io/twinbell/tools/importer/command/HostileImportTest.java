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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that would exhaust memory, stack or time, or whose values would change in silence. */
class HostileImportTest {
    @TempDir
    private Path directory;

    private TypedCommand imported(byte[] content) throws IOException {
        Path file = Files.write(directory.resolve("input"), content);
        return at(file);
    }

    private TypedCommand imported(String content) throws IOException {
        return imported(content.getBytes(StandardCharsets.UTF_8));
    }

    private TypedCommand at(Path file) {
        return TypedCommand.twinbell(
                "import", "crontab", file.toString(), "--app", "a", "--zone", "UTC", "--to", tasks().toString());
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

    @Test
    void an_endless_file_a_directory_and_a_wrong_encoding_are_one_sentence() throws IOException {
        assertSays(at(Path.of("/dev/zero")), 2, "Can't read /dev/zero: it has more than 16777216 bytes");
        assertSays(at(directory), 2, "Can't read " + directory + ": Is a directory");
        byte[] latin = "a\n# für\n".getBytes(StandardCharsets.ISO_8859_1);
        assertSays(imported(latin), 2, "as UTF-8: line 2 is not UTF-8");
        byte[] wide = "0 1 * * * x\n".getBytes(Charset.forName("UTF-16LE"));
        assertSays(imported(wide), 2, "line 1 has a zero byte; is it UTF-8 text?");
    }

    @Test
    void a_crontab_with_a_mark_of_byte_order_is_read() throws IOException {
        assertSays(imported("\ufeff0 1 * * * first\n"), 0, "line 1: a/first");
    }

    @Test
    void many_equal_names_and_long_names_take_little_time() throws IOException {
        assertSays(imported("@daily x\n".repeat(10_000)), 0, "a/x-10000,");
        assertSays(imported("# a" + ".".repeat(3_990) + "a\n@daily x\n"), 0, "line 2: a/a");
        assertSays(imported("@daily x\n".repeat(100_001)), 2, "more than 100000 lines");
    }

    @Test
    void environments_that_multiply_are_refused() throws IOException {
        String variables = IntStream.range(0, 100)
                .mapToObj(i -> "V" + i + "=" + "x".repeat(3_000) + "\n")
                .collect(Collectors.joining());
        assertSays(imported(variables + "@daily x\n".repeat(3_000)), 2, "line 156: ", "of environment");
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
        assertSays(imported(lines.translateEscapes()), 1, why);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            60 4 * * * x | has the minute 60, which is not from 0 to 59
            0 70~80 * * * x | has the hour 70, which is not from 0 to 23
            0 4 0 * * x | has the day of month 0, which is not from 1 to 31
            0 4 * * 5-8 x | has the day of week 8, which is not from 0 to 7
            0 4 * mon * x | has "mon", which is not a time field
            0 4 * janfeb * x | has "janfeb", which is not a time field
            1-2-3 4 * * * x | has "1-2-3", which is not a time field
            */90 * * * * x | has a step of 90, which is not from 1 to 59
            0 4 30 2 * x | never fires: none of its months has such a day
            0 4 31 4,jun,9-9/2 * x | never fires
            0 4 30 feb */2 x | never fires
            0 4 29~30 2 * x | never fires
            0 4 30 ~ * x | never fires
            """)
    void a_time_that_the_pair_refuses_is_named_with_its_line(String line, String why) throws IOException {
        assertSays(
                imported("@daily ok\n" + line),
                1,
                "! line 2: not imported: " + line + "\n    " + why,
                "1 tasks are written");
    }

    @Test
    void a_random_time_without_a_limit_has_that_of_the_field() throws IOException {
        imported("~5 7~ ~ * * x\n");
        assertTrue(Files.readString(tasks()).contains("H(0-5) H(7-23) H * *"), Files.readString(tasks()));
    }
}
