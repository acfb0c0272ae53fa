package io.twinbell.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The project on the page about Spring Boot, built and tested from an empty folder with this release. */
@Timeout(600)
class SpringBootPageTest {
    private static final Path TOP = Path.of("..", "..", "..").toAbsolutePath().normalize();
    private static final String VERSION = "0.1.0-SNAPSHOT";
    private static final Pattern FILE = Pattern.compile("(?ms)^`([\\w./]+)`:\\n\\n```\\w+\\n(.*?)^```$");

    @TempDir
    private Path folder;

    @Test
    void the_project_on_the_page_builds_and_its_test_passes() throws Exception {
        Map<String, String> files = files();
        assertEquals(
                List.of(
                        "pom.xml",
                        "src/main/resources/application.properties",
                        "src/main/resources/schema.sql",
                        "src/main/java/shop/ShopApplication.java",
                        "src/main/java/shop/Orders.java",
                        "src/test/java/shop/OrdersTest.java"),
                List.copyOf(files.keySet()));
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = folder.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
        Path repository = Path.of("target", "repository").toAbsolutePath();
        publish(repository);
        try (EmbeddedPostgres database = EmbeddedPostgres.start();
                TestingServer zooKeeper = new TestingServer()) {
            ProcessBuilder build = new ProcessBuilder(
                            TOP.resolve("mvnw").toString(),
                            "-B",
                            "-f",
                            folder.resolve("pom.xml").toString(),
                            "-Dmaven.repo.local=" + repository,
                            "-Dmaven.repo.local.tail=" + System.getProperty("maven.repo"),
                            "verify")
                    .directory(TOP.toFile())
                    .redirectErrorStream(true);
            build.environment().put("SPRING_DATASOURCE_URL", database.getJdbcUrl("postgres", "postgres"));
            build.environment().put("SPRING_DATASOURCE_USERNAME", "postgres");
            build.environment().put("TWINBELL_ZOOKEEPER_CONNECT", zooKeeper.getConnectString());
            Process process = build.start();
            List<String> lines = process.inputReader().lines().toList();
            lines.forEach(System.out::println);
            assertEquals(0, process.waitFor());
            assertTrue(
                    lines.stream().anyMatch(line -> line.matches(".*Tests run: 1, Failures: 0, Errors: 0.*")),
                    "its test has run");
        }
    }

    /** The files of the page in their order, with the release of Spring Boot that this module tries. */
    private static Map<String, String> files() throws IOException {
        Map<String, String> files = new LinkedHashMap<>();
        Matcher file = FILE.matcher(Files.readString(TOP.resolve("node/docs/SPRING-BOOT.md")));
        while (file.find()) {
            files.put(file.group(1), file.group(2));
        }
        files.computeIfPresent(
                "pom.xml",
                (name, pom) -> pom.replaceFirst(
                        "(?s)(<artifactId>spring-boot-starter-parent</artifactId>\\s*<version>)[^<]+",
                        "$1" + System.getProperty("boot.version")));
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
        publish(
                repository,
                "twinbell-spring-boot-starter",
                TOP.resolve("node/spring/pom.xml"),
                TOP.resolve("node/spring/target"));
    }

    private static void publish(Path repository, String artifact, Path pom, Path target) throws IOException {
        Path folder = repository.resolve("io/twinbell/" + artifact + File.separator + VERSION);
        Files.createDirectories(folder);
        String name = artifact + "-" + VERSION;
        Files.copy(pom, folder.resolve(name + ".pom"), StandardCopyOption.REPLACE_EXISTING);
        if (target != null) {
            Files.copy(
                    target.resolve(name + ".jar"), folder.resolve(name + ".jar"), StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
