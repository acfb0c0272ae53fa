package io.twinbell.tools.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** A command as a person types it, with its exit code and output. */
public record TypedCommand(int exitCode, String out, String err) {
    public static TypedCommand twinbell(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line =
                TwinbellCommand.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        int exitCode = line.execute(arguments);
        return new TypedCommand(exitCode, out.toString(), err.toString());
    }

    public static void assertExit(int expected, TypedCommand command) {
        assertEquals(expected, command.exitCode, () -> command.out + command.err);
    }
}
