package io.twinbell.lab.own;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Builds the command lines of a pair's processes, from what {@code scripts/pair} has built. */
final class ProcessCommands {
    private static final Path LARGE_PAGES = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

    private ProcessCommands() {}

    /** A server on the drill's own class path. */
    static List<String> server(String main, List<String> options, List<String> arguments) {
        List<String> words = java("-Xmx256m");
        words.addAll(options);
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        words.addAll(arguments);
        return words;
    }

    /** A node, with the JVM options that {@code scripts/pair} uses. */
    static List<String> node(Path configuration) throws IOException {
        List<String> words = java("-Xmx512m");
        words.add("-XX:+ExitOnOutOfMemoryError");
        if (hasLargePages()) {
            words.add("-XX:+UseTransparentHugePages");
        }
        String more = System.getenv().getOrDefault("TWINBELL_JAVA_OPTS", "").strip();
        if (!more.isEmpty()) {
            words.addAll(List.of(more.split("\\s+")));
        }
        words.addAll(List.of("-cp", classPath(), "io.twinbell.daemon.NodeMain", "--config", configuration.toString()));
        return words;
    }

    /** The command {@code doctor} for a node's configuration. */
    static List<String> doctor(Path configuration, List<String> arguments) throws IOException {
        List<String> words = java("-Xmx256m");
        words.addAll(List.of(
                "-cp",
                classPath(),
                "io.twinbell.tools.cli.TwinbellCommand",
                "doctor",
                "--config",
                configuration.toString()));
        words.addAll(arguments);
        return words;
    }

    private static String classPath() throws IOException {
        Path top = top();
        return jar(top) + ":" + top.resolve("ops/daemon/target/lib") + "/*";
    }

    private static Path top() {
        return Path.of(System.getProperty("twinbell.top", "."));
    }

    private static boolean hasLargePages() throws IOException {
        return Files.isReadable(LARGE_PAGES) && Files.readString(LARGE_PAGES).matches("(?s).*\\[(madvise|always)].*");
    }

    private static Path jar(Path top) throws IOException {
        try (Stream<Path> built = Files.list(top.resolve("ops/daemon/target"))) {
            return built.filter(file -> file.getFileName().toString().matches("twinbell-daemon-[^/]*\\.jar"))
                    .filter(file -> !file.getFileName().toString().matches(".*-(tests|sources|javadoc)\\.jar"))
                    .findFirst()
                    .orElseThrow(
                            () -> new IOException("the node is not built: no jar in " + top + "/ops/daemon/target"));
        }
    }

    private static List<String> java(String heap) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ArrayList<>(
                List.of(java, heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+UseCondCardMark"));
    }
}
