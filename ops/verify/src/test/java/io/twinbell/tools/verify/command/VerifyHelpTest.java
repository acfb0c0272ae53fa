package io.twinbell.tools.verify.command;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.cli.HelpCheck;
import io.twinbell.tools.cli.TwinbellCommand;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class VerifyHelpTest {
    @Test
    void each_command_has_help_with_examples_that_are_right() {
        CommandLine twinbell = TwinbellCommand.commandLine();
        assertTrue(twinbell.getSubcommands().keySet().containsAll(List.of("verify", "bench", "drill")));
        assertTrue(HelpCheck.passedBy(twinbell) > 50);
    }
}
