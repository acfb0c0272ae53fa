package io.twinbell.lab;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.cli.HelpCheck;
import io.twinbell.tools.cli.TwinbellCommand;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class LabHelpTest {
    @Test
    void the_labs_drills_have_the_name_and_help_with_examples_that_are_right() {
        CommandLine twinbell = TwinbellCommand.commandLine();
        assertInstanceOf(
                DrillCommand.class,
                twinbell.getSubcommands().get("drill").getCommandSpec().userObject());
        assertTrue(HelpCheck.passedBy(twinbell) > 50);
    }
}
