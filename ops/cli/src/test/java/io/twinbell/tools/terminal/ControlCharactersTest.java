package io.twinbell.tools.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.tools.cli.TwinbellCommand;
import io.twinbell.tools.cli.option.TaskLines;
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
    void every_format_character_but_a_joiner_that_joins_is_hidden() {
        for (int one = 0; one <= Character.MAX_CODE_POINT; one++) {
            boolean isFormat = Character.getType(one) == Character.FORMAT;
            String text = "a" + Character.toString(one) + "b";
            assertTrue(!isFormat || ControlCharacters.isIn(text), "U+" + Integer.toHexString(one));
            boolean isSeen = Character.isLetterOrDigit(one) && "\u115f\u1160\u3164\uffa0".indexOf(one) < 0;
            assertTrue(!isSeen || !ControlCharacters.isIn(text), "U+" + Integer.toHexString(one));
        }
        for (String joined : new String[] {"می\u200cخواهم", "क्\u200dष", "❤\ufe0f\u200d🔥"}) {
            assertFalse(ControlCharacters.isIn(joined), joined);
        }
        for (String useless : new String[] {"bill\u200ding", "\u200dא", "א\u200d", "א\u200d\u200dא", "5\u200cא"}) {
            assertTrue(ControlCharacters.isIn(useless), useless);
        }
    }

    @Test
    void fillers_and_unassigned_ignorable_characters_are_hidden() {
        for (int one : new int[] {0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0, 0xfff0, 0xe0080, 0xe0fff}) {
            for (String beside : new String[] {"a", "ㄱ", ""}) {
                assertTrue(ControlCharacters.isIn(beside + Character.toString(one)), Integer.toHexString(one));
            }
        }
    }

    @Test
    void a_variation_selector_is_hidden_where_it_has_no_effect() {
        for (String shown : new String[] {"❤\ufe0f", "1\ufe0f\u20e3 first", "™\ufe0f", "葛\udb40\udd00", "ᠠ\u180b"}) {
            assertFalse(ControlCharacters.isIn(shown), shown);
        }
        for (String useless : new String[] {
            "a\ufe0f", "\ufe0f", "1\ufe0f", "❤\ufe0f\ufe0f", "a\udb40\udd00", " \u180b", "1\ufe0e\u20e3"
        }) {
            assertTrue(ControlCharacters.isIn(useless), useless);
        }
    }

    @Test
    void lines_about_tasks_and_errors_show_no_hidden_character() {
        ObjectNode task = JsonNodeFactory.instance.objectNode();
        task.put("app", "a\ufeff")
                .put("name", "b\u001b[2J")
                .put("stateReason", "c\u00add")
                .put("pausedBy", "e\u200bf");
        assertFalse(ControlCharacters.isIn(TaskLines.line(task)), TaskLines.line(task));
        StringWriter err = new StringWriter();
        CommandLine line = TwinbellCommand.commandLine().setErr(new PrintWriter(err));
        line.execute("task", "show", "--nothing\u001b[2J\ufeff");
        assertFalse(ControlCharacters.isIn(err.toString().replaceAll("\\R", "")), err.toString());
    }

    @Test
    void documents_have_escapes_that_readers_read_and_a_terminal_shows() throws Exception {
        String output = "moc.live\u202e\nsecond\u200b line \ud83d\ude00\udb40\udc41 \u009b31m";
        ObjectNode execution = JsonNodeFactory.instance.objectNode().put("output", output);
        for (String format : new String[] {"json", "yaml"}) {
            StringWriter shown = new StringWriter();
            CommandOutput document = CommandLine.populateCommand(new CommandOutput(), "-o", format);
            document.document(new PrintWriter(shown), execution);
            assertFalse(ControlCharacters.isIn(shown.toString().strip()), shown::toString);
            ObjectMapper reader = format.equals("json") ? new ObjectMapper() : new YAMLMapper();
            assertEquals(execution, reader.readTree(shown.toString()));
        }
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
