package io.twinbell.daemon.command;

import io.twinbell.tools.cli.TwinbellCommand;
import java.io.PrintWriter;
import java.io.StringWriter;

/** A command as a person types it, with its exit code and output. */
record CommandRun(int exitCode, String out, String err) {
    static CommandRun twinbell(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = TwinbellCommand.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
        return new CommandRun(exitCode, out.toString(), err.toString());
    }
}
