package io.twinbell.tools.cli.option;

import io.twinbell.tools.terminal.Terminal;
import java.io.Console;
import picocli.CommandLine.Option;

/** Asks a person at the terminal for confirmation. */
public final class Confirmation {
    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask for confirmation.")
    private boolean yes;

    /**
     * Whether the action is confirmed, by an option or by the person's answer. Without a terminal nobody can answer, so
     * it is not.
     */
    public boolean isGiven(String question) {
        return yes || isTyped(question);
    }

    public static boolean isTyped(String question) {
        Console console = System.console();
        return Terminal.current().isAsked()
                && console != null
                && "yes".equals(console.readLine("%s Type yes to continue: ", question));
    }
}
