package io.twinbell.tools.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ops.text.ControlCharacters;
import io.twinbell.tools.cli.TwinbellCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ControlCharactersTest {
    @Test
    void a_table_shows_no_character_that_steers_the_terminal_or_turns_text() {
        TextTable table = new TextTable(Terminal.NONE, "NAME");
        table.row("a\u202eb\u2028c\u001b[31md\u009be\u2069f");
        assertFalse(ControlCharacters.isIn(table.text().replace("\n", "")), table.text());
        assertTrue(table.text().contains("a b c [31md e f"), table.text());
    }

    @Test
    void ordinary_text_of_every_script_stays() {
        for (String text : new String[] {"ü日€", "שלום", "مرحبا", "👩\u200d💻", "e\u0301"}) {
            assertEquals(text, ControlCharacters.spaced(text));
        }
    }

    @Test
    void an_empty_option_is_a_mistake_and_no_missing_filter() {
        for (String option : new String[] {"--app", "--tag", "--owner", "--state", "-q"}) {
            StringWriter err = new StringWriter();
            CommandLine line = TwinbellCommand.commandLine().setErr(new PrintWriter(err));
            assertEquals(2, line.execute("task", "list", option, ""), option);
            assertTrue(err.toString().contains("must not be empty"), err.toString());
        }
    }

    @Test
    void an_option_that_may_stand_alone_still_may() {
        CommandLine.ParseResult parsed =
                TwinbellCommand.commandLine().parseArgs("task", "add", "shop/x", "--every", "PT1H", "--log");
        assertEquals("", parsed.subcommand().subcommand().matchedOptionValue("--log", "absent"));
    }
}
