package io.twinbell.dist;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.twinbell.persistence.testing.FreePort;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's first commands, from a copy of the scripts beside what the build has made. */
class PairScriptTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    /** The shortest that the pair's ZooKeeper grants. */
    private static final Map<String, String> SHORT_SESSIONS = Map.of("TWINBELL_ZOOKEEPER_SESSION_TIMEOUT", "PT4S");

    @TempDir
    private Path top;

    private HttpClient http = HttpClient.newHttpClient();

    /** The only test of the default build in which processes are killed, stopped and frozen. */
    @Test
    void a_pair_fires_tasks_of_every_type_and_each_slot_once_through_a_kill_a_freeze_and_a_stop() throws Exception {
        copyScripts();
        List<String> ports = IntStream.range(0, 6)
                .mapToObj(i -> Integer.toString(FreePort.take()))
                .toList();
        try (CallCounter receiver = new CallCounter()) {
            Unpacked.Outcome up = up(SHORT_SESSIONS, ports);
            assertEquals(0, up.exitCode(), up.said());
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(top.resolve("run"))));
            Unpacked.Outcome status = pair("status");
            assertEquals(0, status.exitCode(), status.said());
            assertTrue(status.said().startsWith("a MASTER "), status.said());
            String a = "http://127.0.0.1:" + ports.get(0);
            String b = "http://127.0.0.1:" + ports.get(2);
            String api = b + "/api/v1/";
            post(api + "tasks", task("log", "{\"type\":\"log\",\"message\":\"x\"}"));
            post(api + "tasks", task("sql", "{\"type\":\"sql\",\"statement\":\"select 1\"}"));
            post(api + "tasks", task("java", "{\"type\":\"java\",\"key\":\"twinbell.noop\"}"));
            await().atMost(LONG).until(() -> succeeded(api) == 3);
            post(
                    api + "tasks",
                    "{\"app\":\"calls\",\"name\":\"tick\",\"schedule\":{\"every\":\"PT0.2S\"},\"handler\":"
                            + "{\"type\":\"http\",\"url\":\"" + receiver.url() + "\"}}");
            receiver.awaitMore();

            assertEquals(0, pair("kill", "a").exitCode());
            await().atMost(LONG).until(() -> isMaster(b));
            receiver.awaitMore();
            await().atMost(LONG).until(() -> pair("status").exitCode() == 1);
            Unpacked.Outcome start = pair(SHORT_SESSIONS, "start", "a");
            assertEquals(0, start.exitCode(), start.said());
            await().atMost(LONG).until(() -> isReadyForFailover(b));

            assertEquals(0, pair("freeze", "b").exitCode());
            await().atMost(LONG).until(() -> isMaster(a));
            receiver.awaitMore();
            assertEquals(0, pair("thaw", "b").exitCode());
            await().atMost(LONG).until(() -> isReadyForFailover(a) && !isMaster(b));
            receiver.awaitMore();

            assertEquals(0, pair("stop", "a").exitCode());
            await().atMost(LONG).until(() -> isMaster(b));
            receiver.awaitMore();
            assertEquals(List.of(), receiver.repeated());
            // On a busy machine a slot may be younger than it takes to fire it.
            await().atMost(LONG).untilAsserted(() -> {
                Unpacked.Outcome verified = twinbell("verify", "--app", "calls", "--grace", "1s");
                assertEquals(0, verified.exitCode(), verified.said());
            });
        } finally {
            Unpacked.Outcome down = pair("down", "--wipe");
            assertEquals(0, down.exitCode(), down.said());
        }
    }

    /** Counts the calls of each slot. */
    private static final class CallCounter implements AutoCloseable {
        private final Map<String, Integer> callsBySlot = new ConcurrentHashMap<>();
        private final HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);

        CallCounter() throws IOException {
            server.createContext("/", exchange -> {
                callsBySlot.merge(exchange.getRequestHeaders().getFirst("Idempotency-Key"), 1, Integer::sum);
                exchange.sendResponseHeaders(204, -1);
                exchange.close();
            });
            server.start();
        }

        String url() {
            return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        }

        void awaitMore() {
            int before = callsBySlot.size();
            await().atMost(LONG).until(() -> callsBySlot.size() >= before + 3);
        }

        List<String> repeated() {
            return callsBySlot.entrySet().stream()
                    .filter(calls -> calls.getValue() > 1)
                    .map(Map.Entry::toString)
                    .toList();
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    @Test
    @Tag("thorough")
    void a_secure_pair_speaks_tls_only_and_requires_a_token_for_everything() throws Exception {
        copyScripts();
        List<String> ports = IntStream.range(0, 6)
                .mapToObj(i -> Integer.toString(FreePort.take()))
                .toList();
        try {
            Unpacked.Outcome up = up(Map.of(), ports, "--secure");
            assertEquals(0, up.exitCode(), up.said());
            Unpacked.Outcome status = pair("status");
            assertEquals(0, status.exitCode(), status.said());
            assertTrue(status.said().contains(" http=https://127.0.0.1:" + ports.get(0) + " "), status.said());
            http = trusting(top.resolve("run/tls/ca.pem"));
            String b = "https://127.0.0.1:" + ports.get(2) + "/api/v1/";
            HttpRequest read = HttpRequest.newBuilder(URI.create(b + "tasks")).build();
            assertEquals(401, http.send(read, BodyHandlers.discarding()).statusCode());
            post(b + "tasks", task("java", "{\"type\":\"java\",\"key\":\"twinbell.noop\"}"));
            await().atMost(LONG).until(() -> succeeded(b) == 1);
            assertEquals(0, pair("kill", "a").exitCode());
            await().atMost(LONG).until(() -> pair("status").exitCode() == 1);
            Unpacked.Outcome start = pair(Map.of("TWINBELL_HTTP_TLS_CLIENT_CERTIFICATES", "REQUIRED"), "start", "a");
            assertEquals(0, start.exitCode(), start.said());
            await().atMost(LONG).until(() -> pair("status").exitCode() == 0);
            assertThrows(
                    IOException.class,
                    () -> http.send(
                            HttpRequest.newBuilder(URI.create(b.replace(ports.get(2), ports.get(0)) + "tasks"))
                                    .build(),
                            BodyHandlers.discarding()),
                    "a client without a certificate");
            Unpacked.Outcome open = up(Map.of(), ports);
            assertEquals(0, open.exitCode(), open.said() + " (a running pair keeps its settings)");
        } finally {
            Unpacked.Outcome down = pair("down", "--wipe");
            assertEquals(0, down.exitCode(), down.said());
        }
    }

    private static HttpClient trusting(Path authority) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        try (InputStream in = Files.newInputStream(authority)) {
            trusted.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    private Unpacked.Outcome up(Map<String, String> environment, List<String> ports, String... flags)
            throws IOException {
        List<String> words = new ArrayList<>(List.of("up"));
        List<String> names =
                List.of("--http-a", "--jmx-a", "--http-b", "--jmx-b", "--postgres-port", "--zookeeper-port");
        for (int i = 0; i < names.size(); i++) {
            words.add(names.get(i));
            words.add(ports.get(i));
        }
        words.addAll(List.of(flags));
        return pair(environment, words.toArray(String[]::new));
    }

    private static String task(String name, String handler) {
        return "{\"app\":\"demo\",\"name\":\"" + name + "\",\"schedule\":{\"in\":\"PT0S\"},\"handler\":" + handler
                + "}";
    }

    private void post(String url, String json) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json));
        assertEquals(401, http.send(request.build(), BodyHandlers.discarding()).statusCode());
        var answer =
                http.send(request.header("Authorization", "Bearer " + token()).build(), BodyHandlers.ofString());
        assertEquals(201, answer.statusCode(), answer.body());
    }

    private String token() throws IOException {
        return Files.readString(top.resolve("run/admin-token")).strip();
    }

    private long succeeded(String api) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(api + "executions?app=demo&state=SUCCEEDED"))
                .header("Authorization", "Bearer " + token())
                .build();
        String body = http.send(request, BodyHandlers.ofString()).body();
        return body.split("\"state\":\"SUCCEEDED\"", -1).length - 1L;
    }

    private boolean isMaster(String url) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(url + "/health/master")).build();
        return http.send(request, BodyHandlers.discarding()).statusCode() == 200;
    }

    private boolean isReadyForFailover(String url) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(url + "/api/v1/cluster")).build();
        return http.send(request, BodyHandlers.ofString()).body().contains("\"failoverReady\":{\"ready\":true");
    }

    private Unpacked.Outcome pair(String... words) throws IOException {
        return pair(Map.of(), words);
    }

    private Unpacked.Outcome pair(Map<String, String> environment, String... words) throws IOException {
        return script("scripts/pair", environment, words);
    }

    private Unpacked.Outcome twinbell(String... words) throws IOException {
        return script("scripts/twinbell", Map.of(), words);
    }

    private Unpacked.Outcome script(String script, Map<String, String> environment, String... words)
            throws IOException {
        List<String> command = new ArrayList<>(List.of("/usr/bin/env", "bash", script));
        command.addAll(List.of(words));
        return Unpacked.run(top, environment, command.toArray(String[]::new));
    }

    /** Copies the scripts. The modules are links, so nothing is built again; the copy has its own run/. */
    private void copyScripts() throws IOException {
        Path project = Path.of("").toAbsolutePath().getParent().getParent();
        try (Stream<Path> scripts = Files.walk(project.resolve("scripts"))) {
            for (Path from : scripts.filter(Files::isRegularFile).toList()) {
                Path to = top.resolve(project.relativize(from).toString());
                Files.createDirectories(to.getParent());
                Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        for (String linked : List.of("persistence", "ha", "ops", "node", "pom.xml")) {
            Files.createSymbolicLink(top.resolve(linked), project.resolve(linked));
        }
        Files.createFile(Files.createDirectories(top.resolve("target")).resolve("built"));
    }
}
