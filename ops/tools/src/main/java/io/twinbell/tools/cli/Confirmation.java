package io.twinbell.tools.cli;

import io.twinbell.tools.terminal.Terminal;
import java.io.Console;
import picocli.CommandLine.Option;

/** Asks a person at the terminal for confirmation. */
final class Confirmation {
    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask for confirmation.")
    private boolean yes;

    /**
     * Whether the action is confirmed, by an option or by the person's answer. Without a terminal nobody can answer, so
     * it is not.
     */
    boolean isGiven(String question) {
        return yes || isTyped(question);
    }

    static boolean isTyped(String question) {
        Console console = System.console();
        return Terminal.current().isAsked()
                && console != null
                && "yes".equals(console.readLine("%s Type yes to go on: ", question));
    }
}
