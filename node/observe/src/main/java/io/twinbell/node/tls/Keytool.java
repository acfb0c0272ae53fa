package io.twinbell.node.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs the {@code keytool} of this Java runtime, the only part of the JDK that issues certificates. */
public final class Keytool {
    private Keytool() {}

    /** @throws IOException with what the tool said, if it fails */
    public static void run(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        // A short run gains nothing from the slower compiler.
        command.add("-J-XX:TieredStopAtLevel=1");
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("keytool " + arguments.get(0) + " failed: " + said.strip());
        }
    }
}
