package io.twinbell.tools.cli;

import static io.twinbell.tools.cli.TypedCommand.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandHelpTest {
    @TempDir
    private Path folder;

    @Test
    void every_command_has_help_with_exit_codes_and_examples_that_are_right() {
        assertTrue(HelpCheck.passedBy(TwinbellCommand.commandLine()) > 45);
    }

    @Test
    void help_has_no_colours_where_there_is_no_terminal() {
        TypedCommand help = TypedCommand.twinbell("task", "add", "--help");
        assertExit(0, help);
        assertFalse(help.out().contains("\033"), help.out());
        assertTrue(TypedCommand.twinbell("task", "list", "--version").out().startsWith("Twinbell "));
    }

    @Test
    void a_mistyped_command_is_told_what_was_meant() {
        TypedCommand typed = TypedCommand.twinbell("task", "lsit");
        assertExit(2, typed);
        assertTrue(typed.err().contains("Did you mean: ls?"), typed.err());
    }

    /** The script is written where digits are not ASCII. */
    @Test
    void bash_completes_commands_and_options_with_the_script() throws Exception {
        Path script = folder.resolve("completion");
        Process writer = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Duser.language=fa",
                        "-Duser.country=IR",
                        "-cp",
                        System.getProperty("java.class.path"),
                        TwinbellCommand.class.getName(),
                        "completion",
                        "bash")
                .redirectOutput(script.toFile())
                .start();
        String complaint = new String(writer.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, writer.waitFor(), complaint);
        assertEquals(
                List.of("add", "list", "ls", "pause"),
                completed(script, "task", "").stream()
                        .filter(List.of("add", "list", "ls", "pause")::contains)
                        .sorted()
                        .toList());
        assertTrue(completed(script, "executions", "--sta").contains("--state"));
        assertTrue(completed(script, "status", "-o", "").containsAll(List.of("json", "yaml", "table")));
        assertFalse(completed(script, "").contains("seed-demo"));
    }

    private static List<String> completed(Path script, String... words) throws IOException, InterruptedException {
        StringBuilder quoted = new StringBuilder("twinbell");
        for (String word : words) {
            quoted.append(" '").append(word).append("'");
        }
        String commands = "compopt() { :; }; source " + script + "; COMP_WORDS=(" + quoted + "); COMP_CWORD="
                + words.length + "; _complete_twinbell twinbell '" + words[words.length - 1]
                + "'; printf '%s\\n' \"${COMPREPLY[@]}\"";
        Process bash = new ProcessBuilder("bash", "-c", commands).start();
        String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String wrong = new String(bash.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, bash.waitFor(), wrong);
        assertEquals("", wrong);
        return said.lines().map(String::strip).toList();
    }
}
