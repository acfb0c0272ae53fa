package io.twinbell.lab.own;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs operating system commands. */
final class SystemCommands {
    private SystemCommands() {}

    /** @throws IOException with the command's output, if it fails */
    static void run(List<String> command) throws IOException {
        output(command);
    }

    /** @throws IOException with the command's output, if it fails */
    static String output(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.onExit().join().exitValue() != 0) {
            throw new IOException(String.join(" ", command) + ": " + said.strip());
        }
        return said;
    }

    static void run(String... command) throws IOException {
        run(List.of(command));
    }
}
