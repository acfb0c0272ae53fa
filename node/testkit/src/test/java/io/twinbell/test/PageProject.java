package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The project on a page, written to an empty folder and built there with what an application gets of a release. */
final class PageProject {
    private static final Path TOP = Path.of("..", "..").toAbsolutePath().normalize();
    private static final String VERSION = "0.1.0-SNAPSHOT";
    private static final Pattern FILE = Pattern.compile("(?ms)^`([\\w./]+)`:\\n\\n```\\w+\\n(.*?)^```$");

    private final Path folder;
    private final Map<String, String> files = new LinkedHashMap<>();

    /** What Maven printed, and how it ended. */
    record Build(int exitCode, List<String> lines) {
        String output() {
            return String.join("\n", lines);
        }
    }

    /** @param page such as {@code TESTING.md} */
    PageProject(String page, Path folder) throws IOException {
        this.folder = folder;
        Matcher file = FILE.matcher(Files.readString(TOP.resolve("node/docs").resolve(page)));
        while (file.find()) {
            files.put(file.group(1), file.group(2));
            Path path = folder.resolve(file.group(1));
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.group(2));
        }
    }

    /** The names of the files in the order of the page. */
    List<String> names() {
        return List.copyOf(files.keySet());
    }

    Build build(String phase) throws IOException, InterruptedException {
        // Each project its own: tests of two pages run at once, in two processes.
        Path repository = folder.resolve("target/repository").toAbsolutePath();
        publish(repository);
        Process process = new ProcessBuilder(
                        TOP.resolve("mvnw").toString(),
                        "-B",
                        "-f",
                        folder.resolve("pom.xml").toString(),
                        "-Dmaven.repo.local=" + repository,
                        "-Dmaven.repo.local.tail=" + System.getProperty("maven.repo"),
                        phase)
                .directory(TOP.toFile())
                .redirectErrorStream(true)
                .start();
        List<String> lines = process.inputReader().lines().toList();
        return new Build(process.waitFor(), lines);
    }

    /** Builds the project, and requires that this many tests run and pass. */
    void requireTests(int tests) throws IOException, InterruptedException {
        Build build = build("test");
        assertEquals(0, build.exitCode(), build::output);
        String expected = "Tests run: " + tests + ", Failures: 0, Errors: 0";
        assertTrue(build.lines().stream().anyMatch(line -> line.contains(expected)), build::output);
    }

    private static void publish(Path repository) throws IOException {
        publish(repository, "twinbell", TOP.resolve("pom.xml"), null);
        publish(repository, "twinbell-client", TOP.resolve("node/client/pom.xml"), TOP.resolve("node/client/target"));
        publish(
                repository,
                "twinbell-embedded",
                TOP.resolve("node/embedded/dependency-reduced-pom.xml"),
                TOP.resolve("node/embedded/target"));
        publish(repository, "twinbell-test", TOP.resolve("node/testkit/pom.xml"), TOP.resolve("node/testkit/target"));
    }

    private static void publish(Path repository, String artifact, Path pom, Path target) throws IOException {
        Path place = repository.resolve("io/twinbell/" + artifact).resolve(VERSION);
        Files.createDirectories(place);
        String name = artifact + "-" + VERSION;
        Files.copy(pom, place.resolve(name + ".pom"), StandardCopyOption.REPLACE_EXISTING);
        if (target != null) {
            Files.copy(
                    target.resolve(name + ".jar"), place.resolve(name + ".jar"), StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
