package io.twinbell.daemon.command;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.cli.HelpCheck;
import io.twinbell.tools.cli.TwinbellCommand;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The commands that a node and the verification bring have help like all others. */
class NodeHelpTest {
    @Test
    void each_command_has_exit_codes_and_examples_that_are_right() {
        CommandLine twinbell = TwinbellCommand.commandLine();
        assertTrue(twinbell.getSubcommands().keySet().containsAll(List.of("doctor", "verify", "bench", "drill")));
        assertTrue(HelpCheck.passedBy(twinbell) > 50);
    }
}
