package io.twinbell.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.tls.TlsInit;
import io.twinbell.persistence.testing.TestPostgres;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** What an application gets that embeds a node: the jar, and the node's thin form with what it depends on. */
class EmbeddedJarTest {
    private static final Path TARGET = Path.of("target");
    private static final Path JAR =
            TARGET.resolve("twinbell-embedded-" + System.getProperty("twinbell.version") + ".jar");
    private static final String SHADED = "io/twinbell/shaded/";
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
        assertEquals(9, ours.size(), ours::toString);
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
    void the_jar_has_its_licence_and_names_those_of_all_libraries_in_it() throws IOException {
        assertTrue(entries().containsAll(List.of("META-INF/LICENSE", "META-INF/NOTICE")));
        try (JarFile jar = new JarFile(JAR.toFile())) {
            String named = new String(
                    jar.getInputStream(jar.getEntry("META-INF/THIRD-PARTY.txt")).readAllBytes(),
                    StandardCharsets.UTF_8);
            Set<String> groups = shadedArtifacts()
                    .map(artifact -> artifact.substring(0, artifact.indexOf(':')))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertEquals(
                    groups,
                    named.lines()
                            .filter(line -> line.matches("[a-z]\\w*(\\.\\w+)+( \\(.*\\))?"))
                            .map(line -> line.split(" ")[0])
                            .collect(Collectors.toCollection(TreeSet::new)));
        }
    }

    /** Each MB is one that every application carries. A library that grows, or one more, is a decision. */
    @Test
    void the_jar_stays_below_nineteen_megabytes() throws IOException {
        long size = Files.size(JAR);
        assertTrue(size < 19_000_000, () -> JAR + " has " + size + " bytes");
    }

    /**
     * The jar has what can be reached by references. A class that is loaded by its name must be kept by a filter of the
     * build. {@code absent-classes.txt} lists those that nothing loads: support of meters that the pool is not given, types
     * that only Kotlin's compiler and its table of names know, and the web server of a ZooKeeper server.
     */
    @Test
    void the_jar_has_each_class_that_its_code_names() throws IOException {
        Set<String> libraries = libraryClasses();
        assertTrue(libraries.contains("org/flywaydb/core/Flyway"));
        Set<String> absent = new TreeSet<>();
        try (JarFile jar = new JarFile(JAR.toFile())) {
            for (ZipEntry entry : Collections.list(jar.entries())) {
                if (!entry.getName().endsWith(".class")) {
                    continue;
                }
                try (InputStream code = jar.getInputStream(entry)) {
                    for (String named : ClassNames.in(code)) {
                        String original = named.startsWith(SHADED) ? named.substring(SHADED.length()) : named;
                        if (libraries.contains(original) && jar.getEntry(SHADED + original + ".class") == null) {
                            absent.add(original);
                        }
                    }
                }
            }
        }
        assertEquals(Files.readAllLines(Path.of("src/test/resources/absent-classes.txt")), List.copyOf(absent));
    }

    @Test
    @Tag("thorough")
    void a_node_runs_from_the_jar_alone() throws Exception {
        try (TestingServer zooKeeper = new TestingServer()) {
            assertRuns("none", List.of("zookeeper.connect=" + zooKeeper.getConnectString()));
        }
        // Without a backend of SLF4J only SLF4J says so.
        assertEquals(
                List.of(),
                Files.readAllLines(TARGET.resolve("application.log")).stream()
                        .filter(line -> !line.startsWith("SLF4J(W): "))
                        .toList());
    }

    @Test
    @Tag("thorough")
    void a_node_runs_from_the_jar_alone_with_tls_to_the_ensemble_and_to_callers(@TempDir Path directory)
            throws Exception {
        TlsInit authority = new TlsInit(directory, 30);
        authority.issue(
                List.of(
                        new TlsInit.Request("zk", List.of("127.0.0.1", "localhost"), TlsInit.Use.NODE),
                        new TlsInit.Request("a", List.of("127.0.0.1", "localhost"), TlsInit.Use.NODE)),
                false);
        String ca = authority.certificate("ca").toString();
        try (TlsZooKeeper zooKeeper = new TlsZooKeeper(directory, authority)) {
            assertRuns(
                    ca,
                    List.of(
                            "zookeeper.connect=" + zooKeeper.connectString(),
                            "zookeeper.tls.enabled=true",
                            "zookeeper.tls.certificate=" + TlsZooKeeper.keyAndCertificate(directory, authority, "a"),
                            "zookeeper.tls.ca=" + ca,
                            "http.tls.certificate=" + authority.certificate("a"),
                            "http.tls.key=" + authority.key("a"),
                            "http.tls.ca=" + ca,
                            "handlers.http.profiles.own.ca=" + ca));
        }
    }

    /** As Logback does without a file, everything from DEBUG on is logged. */
    @Test
    @Tag("thorough")
    void the_libraries_in_the_jar_add_nothing_below_warn_to_the_log_of_an_application(@TempDir Path directory)
            throws Exception {
        Path configuration = Files.writeString(directory.resolve("logback.xml"), """
                <configuration>
                  <appender name="log" class="ch.qos.logback.core.ConsoleAppender">
                    <target>System.err</target>
                    <encoder><pattern>%level %logger %msg%n</pattern></encoder>
                  </appender>
                  <root level="DEBUG"><appender-ref ref="log"/></root>
                </configuration>
                """);
        Path log = TARGET.resolve("application-debug.log");
        try (TestingServer zooKeeper = new TestingServer()) {
            assertRuns(
                    log,
                    List.of("-Dlogback.configurationFile=" + configuration),
                    "none",
                    List.of("zookeeper.connect=" + zooKeeper.getConnectString()));
        }
        List<String> lines = Files.readAllLines(log);
        assertTrue(lines.stream().anyMatch(line -> line.startsWith("INFO io.twinbell.node.")), "the node's own lines");
        assertEquals(
                List.of(),
                lines.stream()
                        .filter(line -> line.matches("[A-Z]+ io\\.twinbell\\.shaded\\..*"))
                        .toList());
    }

    private static void assertRuns(String authority, List<String> sets) throws Exception {
        Path log = TARGET.resolve(authority.equals("none") ? "application.log" : "application-tls.log");
        assertRuns(log, List.of(), authority, sets);
    }

    private static void assertRuns(Path log, List<String> options, String authority, List<String> sets)
            throws Exception {
        PGSimpleDataSource database = TestPostgres.emptyDatabase();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of(
                "-cp",
                classPath() + (options.isEmpty() ? "" : File.pathSeparator + backend()),
                Application.class.getName(),
                authority,
                "database.url=" + database.getUrl(),
                "database.user=" + database.getUser(),
                "database.password=" + database.getPassword()));
        command.addAll(sets);
        Process application =
                new ProcessBuilder(command).redirectError(log.toFile()).start();
        List<String> said = application.inputReader().lines().toList();
        assertEquals(
                List.of(
                        "joined true",
                        "ran true",
                        "/metrics 200",
                        "/openapi.json 200",
                        "preview 200 true",
                        "called SUCCEEDED",
                        "closed"),
                said);
        assertEquals(0, application.waitFor());
    }

    private static Stream<String> shadedArtifacts() throws IOException {
        return Files.readAllLines(Path.of("src/test/resources/runtime-artifacts.txt")).stream()
                .filter(artifact ->
                        !artifact.matches("(io\\.twinbell|org\\.postgresql|org\\.slf4j|io\\.opentelemetry):.*"));
    }

    /** All classes of the libraries that are shaded, with their original names. */
    private static Set<String> libraryClasses() throws IOException {
        Set<String> artifacts = shadedArtifacts()
                .map(artifact -> artifact.substring(artifact.indexOf(':') + 1))
                .collect(Collectors.toSet());
        Set<String> classes = new HashSet<>();
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
            String file = Path.of(path).getFileName().toString();
            if (artifacts.contains(file.replaceFirst("-[0-9][^/]*\\.jar$", ""))) {
                try (JarFile jar = new JarFile(path)) {
                    jar.stream()
                            .map(ZipEntry::getName)
                            .filter(entry -> entry.endsWith(".class") && !entry.startsWith("META-INF/"))
                            .forEach(entry -> classes.add(entry.substring(0, entry.length() - ".class".length())));
                }
            }
        }
        return classes;
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
                .filter(
                        path -> path.matches(
                                ".*(persistence|ha|core|observe|tasks|handlers|server|client|node)(/target/classes|-[^/]*SNAPSHOT\\.jar)"))
                .map(Path::of)
                .toList();
    }

    private static String backend() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(path -> path.matches(".*/logback-(classic|core)-[0-9][^/]*\\.jar"))
                .collect(Collectors.joining(File.pathSeparator));
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
