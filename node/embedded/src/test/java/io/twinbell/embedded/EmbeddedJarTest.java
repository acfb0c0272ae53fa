package io.twinbell.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.TestPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What an application gets that embeds a node: the jar, and the node's thin form with what it depends on. */
class EmbeddedJarTest {
    private static final Path TARGET = Path.of("target");
    private static final Path JAR =
            TARGET.resolve("twinbell-embedded-" + System.getProperty("twinbell.version") + ".jar");
    private static final Pattern LISTED = Pattern.compile(" +([^:\\s]+:[^:]+):jar:\\S*:(?:compile|runtime).*");
    private static final Pattern DEPENDENCY = Pattern.compile(
            "<dependency>\\s*<groupId>([^<]+)</groupId>\\s*<artifactId>([^<]+)</artifactId>(.*?)</dependency>",
            Pattern.DOTALL);

    @Test
    void the_jar_holds_nothing_that_an_application_could_take_for_its_own() throws IOException {
        List<String> entries = entries();
        assertTrue(entries.contains("io/twinbell/Twinbell.class"));
        assertTrue(entries.contains("io/twinbell/shaded/org/flywaydb/core/Flyway.class"));
        assertEquals(
                List.of(),
                entries.stream()
                        .filter(entry -> !entry.startsWith("io/twinbell/"))
                        .filter(entry -> !entry.startsWith("META-INF/services/io.twinbell."))
                        .filter(entry -> !entry.matches("META-INF/[^/]+"))
                        .toList());
    }

    @Test
    void no_jar_of_ours_has_a_migration_where_an_application_keeps_its_own() throws IOException {
        List<Path> ours = ownJars();
        assertEquals(5, ours.size(), ours::toString);
        List<String> found = new ArrayList<>();
        for (Path own : ours) {
            if (Files.isDirectory(own)) {
                try (Stream<Path> files = Files.walk(own)) {
                    files.map(file -> own.relativize(file).toString())
                            .filter(file -> file.startsWith("db/"))
                            .forEach(found::add);
                }
            } else {
                try (JarFile jar = new JarFile(own.toFile())) {
                    jar.stream()
                            .map(ZipEntry::getName)
                            .filter(entry -> entry.startsWith("db/"))
                            .forEach(found::add);
                }
            }
        }
        assertEquals(List.of(), found);
    }

    @Test
    void an_application_gets_four_libraries_beside_the_jar() throws IOException {
        Matcher dependency = DEPENDENCY.matcher(Files.readString(Path.of("dependency-reduced-pom.xml")));
        List<String> given = dependency
                .results()
                .filter(found -> !found.group(3).contains("<scope>test</scope>"))
                .map(found -> found.group(1) + ":" + found.group(2))
                .sorted()
                .toList();
        assertEquals(
                List.of(
                        "io.opentelemetry:opentelemetry-api",
                        "io.twinbell:twinbell-client",
                        "org.postgresql:postgresql",
                        "org.slf4j:slf4j-api"),
                given);
    }

    /** A library that comes or goes is a decision: change {@code runtime-artifacts.txt} with it. */
    @Test
    void the_thin_jars_bring_the_libraries_that_are_written_down() throws IOException {
        String listed = Files.readAllLines(TARGET.resolve("runtime-artifacts.txt")).stream()
                .map(LISTED::matcher)
                .filter(Matcher::matches)
                .map(line -> line.group(1))
                .sorted()
                .collect(Collectors.joining("\n", "", "\n"));
        assertEquals(Files.readString(Path.of("src/test/resources/runtime-artifacts.txt")), listed);
    }

    @Test
    void a_node_runs_from_the_jar_alone() throws Exception {
        PGSimpleDataSource database = TestPostgres.emptyDatabase();
        try (TestingServer zooKeeper = new TestingServer()) {
            Process application = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            classPath(),
                            Application.class.getName(),
                            database.getUrl(),
                            database.getUser(),
                            String.valueOf(database.getPassword()),
                            zooKeeper.getConnectString())
                    .redirectError(TARGET.resolve("application.log").toFile())
                    .start();
            List<String> said = application.inputReader().lines().toList();
            assertEquals(
                    List.of(
                            "joined true",
                            "ran true",
                            "/metrics 200",
                            "/openapi.json 200",
                            "preview 200 true",
                            "closed"),
                    said);
            assertEquals(0, application.waitFor());
        }
    }

    private static List<String> entries() throws IOException {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            return jar.stream()
                    .filter(entry -> !entry.isDirectory())
                    .map(ZipEntry::getName)
                    .toList();
        }
    }

    private static List<Path> ownJars() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(path ->
                        path.matches(".*(persistence|ha|ops|client|node)(/target/classes|-[^/]*SNAPSHOT\\.jar)"))
                .map(Path::of)
                .toList();
    }

    /** The jar, this class, and the libraries that are shared. */
    private static String classPath() {
        return Stream.concat(
                        Stream.of(JAR.toString(), TARGET.resolve("test-classes").toString()),
                        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                                .filter(
                                        path -> path.matches(
                                                ".*/(postgresql|slf4j-api|opentelemetry-(api|context|common)|jackson-[a-z]+)-[0-9][^/]*\\.jar|.*/node/client/target/.*")))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
