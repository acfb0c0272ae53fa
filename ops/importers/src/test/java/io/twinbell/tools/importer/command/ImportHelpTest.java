package io.twinbell.tools.importer.command;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.cli.HelpCheck;
import io.twinbell.tools.cli.TwinbellCommand;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ImportHelpTest {
    @Test
    void each_import_has_help_with_examples_that_are_right() {
        CommandLine twinbell = TwinbellCommand.commandLine();
        assertTrue(twinbell.getSubcommands().containsKey("import"));
        assertTrue(HelpCheck.passedBy(twinbell) > 50);
    }
}
