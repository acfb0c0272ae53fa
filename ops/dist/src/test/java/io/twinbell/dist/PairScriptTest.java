package io.twinbell.dist;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.FreePort;
import java.io.IOException;
import java.io.InputStream;
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

    @TempDir
    private Path top;

    private HttpClient http = HttpClient.newHttpClient();

    @Test
    void a_pair_comes_up_fires_tasks_of_every_type_survives_a_kill_and_goes_down() throws Exception {
        copyScripts();
        List<String> ports = IntStream.range(0, 6)
                .mapToObj(i -> Integer.toString(FreePort.take()))
                .toList();
        try {
            Unpacked.Outcome up = up(ports);
            assertEquals(0, up.exitCode(), up.said());
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(top.resolve("run"))));
            Unpacked.Outcome status = pair("status");
            assertEquals(0, status.exitCode(), status.said());
            assertTrue(status.said().startsWith("a MASTER "), status.said());
            String b = "http://127.0.0.1:" + ports.get(2) + "/api/v1/";
            post(b + "tasks", task("log", "{\"type\":\"log\",\"message\":\"x\"}"));
            post(b + "tasks", task("sql", "{\"type\":\"sql\",\"statement\":\"select 1\"}"));
            post(b + "tasks", task("java", "{\"type\":\"java\",\"key\":\"twinbell.noop\"}"));
            await().atMost(LONG).until(() -> succeeded(b) == 3);
            assertEquals(0, pair("kill", "a").exitCode());
            await().atMost(LONG).until(() -> pair("status").exitCode() == 1);
            post(b + "tasks", task("after", "{\"type\":\"java\",\"key\":\"twinbell.noop\"}"));
            await().atMost(LONG).until(() -> succeeded(b) == 4);
        } finally {
            Unpacked.Outcome down = pair("down", "--wipe");
            assertEquals(0, down.exitCode(), down.said());
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
            Unpacked.Outcome up = up(ports, "--secure");
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
            Unpacked.Outcome open = up(ports);
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

    private Unpacked.Outcome up(List<String> ports, String... flags) throws IOException {
        List<String> words = new ArrayList<>(List.of("up"));
        List<String> names =
                List.of("--http-a", "--jmx-a", "--http-b", "--jmx-b", "--postgres-port", "--zookeeper-port");
        for (int i = 0; i < names.size(); i++) {
            words.add(names.get(i));
            words.add(ports.get(i));
        }
        words.addAll(List.of(flags));
        return pair(words.toArray(String[]::new));
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

    private Unpacked.Outcome pair(String... words) throws IOException {
        return pair(Map.of(), words);
    }

    private Unpacked.Outcome pair(Map<String, String> environment, String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of("/usr/bin/env", "bash", "scripts/pair"));
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
