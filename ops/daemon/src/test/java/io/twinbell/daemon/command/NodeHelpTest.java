package io.twinbell.daemon.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.cli.TwinbellCommand;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The commands that a node brings help like all others. */
class NodeHelpTest {
    @Test
    void each_command_has_exit_codes_and_examples_that_are_right() {
        int seen = 0;
        for (Object command : new NodeCommands().commands()) {
            String name = new CommandLine(command).getCommandName();
            CommandLine line = TwinbellCommand.commandLine().getSubcommands().get(name);
            assertTrue(line.getUsageMessage().contains("Exit codes:\n"), line.getUsageMessage());
            String[] examples = line.getCommandSpec().usageMessage().footer();
            assertTrue(examples.length > 0, name);
            for (String example : examples) {
                String[] words = example.strip().replaceFirst(" > .*", "").split(" ");
                assertEquals("twinbell", words[0]);
                // Throws if it is not right.
                TwinbellCommand.commandLine().parseArgs(Arrays.copyOfRange(words, 1, words.length));
                seen++;
            }
        }
        assertTrue(seen > 5, seen + " examples");
    }
}
