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
    private static final Path EMBEDDED = Path.of("..", "embedded");
    private static final String VERSION = System.getProperty("twinbell.version");
    private static final Path JAR = EMBEDDED.resolve("target/twinbell-embedded-" + VERSION + ".jar");
    private static final Path SERVER_JAR = TARGET.resolve("twinbell-embedded-server-" + VERSION + ".jar");
    private static final String SHADED = "io/twinbell/shaded/";
    private static final Pattern LISTED = Pattern.compile(" +([^:\\s]+:[^:]+):jar:\\S*:(?:compile|runtime).*");
    private static final Pattern DEPENDENCY = Pattern.compile(
            "<dependency>\\s*<groupId>([^<]+)</groupId>\\s*<artifactId>([^<]+)</artifactId>(.*?)</dependency>",
            Pattern.DOTALL);

    @Test
    void the_jar_holds_nothing_that_an_application_could_take_for_its_own() throws IOException {
        List<String> entries = new ArrayList<>(entries(JAR));
        entries.addAll(entries(SERVER_JAR));
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
        Matcher dependency = DEPENDENCY.matcher(Files.readString(EMBEDDED.resolve("dependency-reduced-pom.xml")));
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
    void a_node_is_made_of_the_libraries_that_are_written_down() throws IOException {
        String listed = Stream.concat(
                        Files.lines(EMBEDDED.resolve("target/runtime-artifacts.txt")),
                        Files.lines(TARGET.resolve("runtime-artifacts.txt")))
                .map(LISTED::matcher)
                .filter(Matcher::matches)
                .map(line -> line.group(1))
                .filter(artifact -> !artifact.equals("io.twinbell:twinbell-embedded"))
                .distinct()
                .sorted()
                .collect(Collectors.joining("\n", "", "\n"));
        assertEquals(Files.readString(Path.of("src/test/resources/runtime-artifacts.txt")), listed);
    }

    @Test
    void each_jar_has_its_licence_and_names_those_of_all_libraries_in_it() throws IOException {
        Set<String> named = new TreeSet<>();
        for (Path file : List.of(JAR, SERVER_JAR)) {
            assertTrue(entries(file).containsAll(List.of("META-INF/LICENSE", "META-INF/NOTICE")));
            try (JarFile jar = new JarFile(file.toFile())) {
                String text = new String(
                        jar.getInputStream(jar.getEntry("META-INF/THIRD-PARTY.txt"))
                                .readAllBytes(),
                        StandardCharsets.UTF_8);
                text.lines()
                        .filter(line -> line.matches("[a-z]\\w*(\\.\\w+)+( \\(.*\\))?"))
                        .map(line -> line.split(" ")[0])
                        .forEach(named::add);
            }
        }
        Set<String> groups = shadedArtifacts()
                .map(artifact -> artifact.substring(0, artifact.indexOf(':')))
                .collect(Collectors.toCollection(TreeSet::new));
        named.retainAll(groups);
        assertEquals(groups, named);
    }

    @Test
    void the_two_jars_share_no_entry_and_together_hold_all_of_twinbell() throws IOException {
        Set<String> both = new HashSet<>(entries(JAR));
        both.retainAll(entries(SERVER_JAR));
        both.removeIf(entry -> entry.matches("META-INF/[^/]+"));
        assertEquals(Set.of(), both);
        Set<String> missing = new TreeSet<>();
        for (Path own : ownJars()) {
            try (JarFile jar = new JarFile(own.toFile())) {
                jar.stream()
                        .map(ZipEntry::getName)
                        .filter(entry -> entry.endsWith(".class"))
                        .forEach(missing::add);
            }
        }
        missing.removeIf(entry -> entry.startsWith("io/twinbell/client/"));
        missing.removeAll(entries(JAR));
        missing.removeAll(entries(SERVER_JAR));
        assertEquals(Set.of(), missing);
    }

    @Test
    void the_jar_without_the_api_has_no_web_server_and_no_netty() throws IOException {
        assertEquals(
                List.of(),
                entries(JAR).stream()
                        .filter(entry -> entry.matches(".*/(jetty|javalin|kotlin|jose4j|netty|servlet)/.*"))
                        .toList());
    }

    /** Each MB is one that every application carries. A library that grows, or one more, is a decision. */
    @Test
    void the_jar_stays_below_twelve_megabytes() throws IOException {
        long size = Files.size(JAR);
        assertTrue(size < 12_000_000, () -> JAR + " has " + size + " bytes");
    }

    /**
     * The jar has what can be reached by references. A class that is loaded by its name must be kept by a filter of the
     * build. {@code absent-classes.txt} lists those that nothing loads: support of meters that the pool is not given, types
     * that only Kotlin's compiler and its table of names know.
     */
    @Test
    void the_jar_has_each_class_that_its_code_names() throws IOException {
        Set<String> libraries = libraryClasses();
        assertTrue(libraries.contains("org/flywaydb/core/Flyway"));
        assertTrue(libraries.contains("org/eclipse/jetty/server/Server"));
        Set<String> absent = new TreeSet<>();
        Set<String> entries = new HashSet<>(entries(JAR));
        entries.addAll(entries(SERVER_JAR));
        for (Path file : List.of(JAR, SERVER_JAR)) {
            try (JarFile jar = new JarFile(file.toFile())) {
                for (ZipEntry entry : Collections.list(jar.entries())) {
                    if (!entry.getName().endsWith(".class")) {
                        continue;
                    }
                    try (InputStream code = jar.getInputStream(entry)) {
                        for (String named : ClassNames.in(code)) {
                            String original = named.startsWith(SHADED) ? named.substring(SHADED.length()) : named;
                            if (libraries.contains(original) && !entries.contains(SHADED + original + ".class")) {
                                absent.add(original);
                            }
                        }
                    }
                }
            }
        }
        // Of ZooKeeper's server the jar has only what its client needs.
        absent.removeIf(name -> name.startsWith("org/apache/zookeeper/server/"));
        assertEquals(Files.readAllLines(Path.of("src/test/resources/absent-classes.txt")), List.copyOf(absent));
    }

    private static final List<String> WITHOUT_API = List.of("joined true", "ran true", "closed");
    private static final List<String> WITH_API = List.of(
            "joined true",
            "ran true",
            "/metrics 200",
            "/openapi.json 200",
            "preview 200 true",
            "called SUCCEEDED",
            "closed");

    @Test
    @Tag("thorough")
    void a_node_without_an_api_runs_from_the_jar_alone() throws Exception {
        try (TestingServer zooKeeper = new TestingServer()) {
            Process application = application(
                    classPath(),
                    TARGET.resolve("application-without-api.log"),
                    List.of(),
                    "none",
                    List.of("http.enabled=false", "zookeeper.connect=" + zooKeeper.getConnectString()));
            assertEquals(WITHOUT_API, application.inputReader().lines().toList());
            assertEquals(0, application.waitFor());
        }
    }

    @Test
    @Tag("thorough")
    void a_node_whose_artifacts_are_missing_names_them() throws Exception {
        Path log = TARGET.resolve("application-missing.log");
        Process application = application(
                classPath(),
                log,
                List.of(),
                "none",
                List.of("zookeeper.connect=127.0.0.1:1", "zookeeper.tls.enabled=true"));
        assertEquals(List.of(), application.inputReader().lines().toList());
        assertEquals(1, application.waitFor());
        assertTrue(Files.readString(log).contains("io.netty:netty-handler"), Files.readString(log));
        application = application(classPath(), log, List.of(), "none", List.of("zookeeper.connect=127.0.0.1:1"));
        assertEquals(1, application.waitFor());
        assertTrue(Files.readString(log).contains("io.twinbell:twinbell-embedded-server"), Files.readString(log));
    }

    @Test
    @Tag("thorough")
    void a_node_with_an_api_runs_from_the_two_jars() throws Exception {
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
    void a_node_runs_with_tls_to_the_ensemble_and_to_callers(@TempDir Path directory) throws Exception {
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
        String classPath = classPath()
                + File.pathSeparator
                + SERVER_JAR
                + (authority.equals("none") ? "" : File.pathSeparator + library("netty-[a-z-]+"))
                + (options.isEmpty() ? "" : File.pathSeparator + library("logback-(classic|core)"));
        Process application = application(classPath, log, options, authority, sets);
        assertEquals(WITH_API, application.inputReader().lines().toList());
        assertEquals(0, application.waitFor());
    }

    private static Process application(
            String classPath, Path log, List<String> options, String authority, List<String> sets) throws Exception {
        PGSimpleDataSource database = TestPostgres.emptyDatabase();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of(
                "-cp",
                classPath,
                Application.class.getName(),
                authority,
                "database.url=" + database.getUrl(),
                "database.user=" + database.getUser(),
                "database.password=" + database.getPassword()));
        command.addAll(sets);
        return new ProcessBuilder(command).redirectError(log.toFile()).start();
    }

    private static Stream<String> shadedArtifacts() throws IOException {
        return Files.readAllLines(Path.of("src/test/resources/runtime-artifacts.txt")).stream()
                .filter(artifact -> !artifact.matches(
                        "(io\\.twinbell|org\\.postgresql|org\\.slf4j|io\\.opentelemetry|io\\.netty):.*"));
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

    private static List<String> entries(Path file) throws IOException {
        try (JarFile jar = new JarFile(file.toFile())) {
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
                                ".*[/-](persistence|ha|core|observe|tasks|handlers|server|client|node)(/target/classes|-[^/]*SNAPSHOT\\.jar)"))
                .map(Path::of)
                .toList();
    }

    /** The jars of these libraries on the class path of this test. */
    private static String library(String names) {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(path -> path.matches(".*/" + names + "-[0-9][^/]*\\.jar"))
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
