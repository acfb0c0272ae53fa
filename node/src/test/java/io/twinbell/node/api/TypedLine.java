package io.twinbell.node.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.tools.cli.TwinbellCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.stream.Stream;

/** A command as a person types it, with its exit code and output. */
record TypedLine(int exitCode, String out, String err) {
    static TypedLine at(String url, String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] all =
                Stream.concat(Arrays.stream(words), Stream.of("--url", url)).toArray(String[]::new);
        int exitCode = TwinbellCommand.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(all);
        return new TypedLine(exitCode, out.toString(), err.toString());
    }

    static void assertExit(int expected, TypedLine line) {
        assertEquals(expected, line.exitCode, () -> line.out + line.err);
    }
}
