package io.twinbell.tools.cli;

import io.twinbell.tools.terminal.Terminal;
import java.io.Console;
import picocli.CommandLine.Option;

/** Whether a person at a terminal means it. */
final class Confirmation {
    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask for confirmation.")
    private boolean yes;

    /** Not asked is who said so before; without a terminal nobody can be asked, so nobody has confirmed. */
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
