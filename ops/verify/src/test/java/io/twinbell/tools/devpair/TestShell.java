package io.twinbell.tools.devpair;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs the project's scripts from a copy of them, so that no test touches a pair that someone is using. */
final class TestShell {
    private final Path top;
    private final Map<String, String> environment;

    private TestShell(Path top, Map<String, String> environment) {
        this.top = top;
        this.environment = environment;
    }

    record Outcome(int exitCode, String out, String err) {}

    /** Copies what is named, seen from the top of the project. */
    static TestShell withCopyOf(Path top, String... names) throws IOException {
        Path project = Path.of("..", "..").toAbsolutePath().normalize();
        for (String name : names) {
            try (Stream<Path> tree = Files.walk(project.resolve(name))) {
                for (Path from : tree.filter(Files::isRegularFile).toList()) {
                    Path to = top.resolve(project.relativize(from).toString());
                    Files.createDirectories(to.getParent());
                    Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
        return new TestShell(top, Map.of());
    }

    /** With nothing in the environment but this. */
    TestShell inOnly(Map<String, String> newEnvironment) {
        return new TestShell(top, newEnvironment);
    }

    Outcome run(String... command) throws IOException {
        Path out = Files.createTempFile("out", null);
        Path err = Files.createTempFile("err", null);
        List<String> bash = new ArrayList<>(List.of("/usr/bin/env", "bash"));
        bash.addAll(List.of(command));
        ProcessBuilder builder = new ProcessBuilder(bash).directory(top.toFile());
        if (!environment.isEmpty()) {
            builder.environment().clear();
            builder.environment().putAll(environment);
        }
        Process process =
                builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        int exitCode = process.onExit().join().exitValue();
        try {
            return new Outcome(exitCode, read(out), read(err));
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }
}
