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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The project on the page about testing, built and tested from an empty folder with what an application gets. */
@Timeout(600)
class TestingPageTest {
    private static final Path TOP = Path.of("..", "..").toAbsolutePath().normalize();
    private static final String VERSION = "0.1.0-SNAPSHOT";
    private static final Pattern FILE = Pattern.compile("(?ms)^`([\\w./]+)`:\\n\\n```\\w+\\n(.*?)^```$");

    @TempDir
    private Path folder;

    @Test
    void the_project_on_the_page_builds_and_its_tests_pass() throws Exception {
        Map<String, String> files = files();
        assertEquals(
                List.of("pom.xml", "src/main/java/shop/Billing.java", "src/test/java/shop/BillingTest.java"),
                List.copyOf(files.keySet()));
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = folder.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
        Path repository = Path.of("target", "repository").toAbsolutePath();
        publish(repository);
        Process process = new ProcessBuilder(
                        TOP.resolve("mvnw").toString(),
                        "-B",
                        "-f",
                        folder.resolve("pom.xml").toString(),
                        "-Dmaven.repo.local=" + repository,
                        "-Dmaven.repo.local.tail=" + System.getProperty("maven.repo"),
                        "test")
                .directory(TOP.toFile())
                .redirectErrorStream(true)
                .start();
        List<String> lines = process.inputReader().lines().toList();
        String output = String.join("\n", lines);
        assertEquals(0, process.waitFor(), output);
        assertTrue(lines.stream().anyMatch(line -> line.matches(".*Tests run: 3, Failures: 0, Errors: 0.*")), output);
    }

    private static Map<String, String> files() throws IOException {
        Map<String, String> files = new LinkedHashMap<>();
        Matcher file = FILE.matcher(Files.readString(TOP.resolve("node/docs/TESTING.md")));
        while (file.find()) {
            files.put(file.group(1), file.group(2));
        }
        return files;
    }

    /** What an application gets of a release: the jars of this build with the poms that a repository would have. */
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
