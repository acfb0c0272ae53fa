package io.twinbell.node.pair;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Prometheus' own checker of metrics and rules, if the machine has it on its PATH. */
record Promtool(Path program) {
    /** Skips the test that asks, with the reason, if there is none. */
    static Promtool ifThere() {
        Path found = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(directory -> Path.of(directory, "promtool"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
        Assumptions.assumeTrue(found != null, "not checked: there is no promtool on the PATH");
        return new Promtool(found);
    }

    /** Fails with what it says unless it ends with 0 and has nothing to complain about. */
    void check(String input, String... arguments) throws InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        try {
            Path said = Files.createTempFile("promtool", ".out");
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            try (var stdin = process.getOutputStream()) {
                stdin.write(input.getBytes(StandardCharsets.UTF_8));
            }
            int exit = process.waitFor();
            String output = Files.readString(said);
            Files.delete(said);
            assertEquals(0, exit, output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
