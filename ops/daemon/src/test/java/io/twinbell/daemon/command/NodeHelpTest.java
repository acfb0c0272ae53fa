package io.twinbell.daemon.command;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.cli.HelpCheck;
import io.twinbell.tools.cli.TwinbellCommand;
import org.junit.jupiter.api.Test;

/** The commands that a node brings have help like all others. */
class NodeHelpTest {
    @Test
    void each_command_has_exit_codes_and_examples_that_are_right() {
        assertTrue(HelpCheck.passedBy(TwinbellCommand.commandLine()) > 50);
    }
}
