package io.twinbell.receiver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples in other languages, as processes of their own on a real PostgreSQL. */
@Tag("thorough")
@Timeout(180)
class ReceiverExamplesTest {
    private static final Path EXAMPLES = Path.of("examples").toAbsolutePath();
    /** Of the form that both kinds of signatures can use. */
    private static final String SECRET = "whsec_" + Base64.getEncoder().encodeToString(new byte[32]);

    private static final String SLOT = "1/2026-11-21T06:37:20.867Z";
    private static final String SLOT_ID =
            "1-" + Instant.parse("2026-11-21T06:37:20.867Z").toEpochMilli();

    private final HttpClient client = HttpClient.newHttpClient();
    private Process receiver;
    private int port;

    @AfterEach
    void stop() throws InterruptedException {
        if (receiver != null) {
            receiver.destroy();
            receiver.waitFor();
        }
    }

    private static int exitCode(Path directory, String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            return -1;
        }
    }

    private HttpResponse<String> call(String key, long epoch, String secret) throws Exception {
        return client.send(request(key, epoch, secret), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest request(String key, long epoch, String secret) {
        byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
        String timestamp = Long.toString(System.currentTimeMillis() / 1000);
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/close"))
                .header("Idempotency-Key", key)
                .header("Twinbell-Attempt", "1")
                .header("Twinbell-Epoch", Long.toString(epoch))
                .header("Twinbell-Timestamp", timestamp)
                .header("Twinbell-Signature", CallSignature.of(secret, timestamp, body))
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
    }

    /** Signed as the specification Standard Webhooks says. */
    private int standardCall(String id, String secret, Instant time) throws Exception {
        byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
        String timestamp = Long.toString(time.getEpochSecond());
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/close"))
                .header("Idempotency-Key", SLOT)
                .header("Twinbell-Attempt", "1")
                .header("Twinbell-Epoch", "9")
                .header("webhook-id", id)
                .header("webhook-timestamp", timestamp)
                .header(
                        "webhook-signature",
                        "v1,AAAA " + CallSignature.standard(WebhookKey.read(secret), id, timestamp, body))
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
    }

    private void receivesExactlyOnce(Path directory, String... command) throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.start()) {
            DataSource database = server.getPostgresDatabase();
            try (Connection connection = database.getConnection()) {
                ExactlyOnceReceiver.createTables(connection);
            }
            ReceiverDatabases.execute(database, "create table effect (call_key text)");
            ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
            builder.environment()
                    .putAll(Map.of(
                            "DATABASE",
                            "postgresql://postgres@127.0.0.1:" + server.getPort() + "/postgres",
                            "SECRET",
                            SECRET,
                            "PORT",
                            "0"));
            receiver = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
            String said = new BufferedReader(new InputStreamReader(receiver.getInputStream())).readLine();
            assertTrue(String.valueOf(said).startsWith("listening on "), said);
            port = Integer.parseInt(said.substring("listening on ".length()).strip());

            HttpResponse<String> first = call("1/a", 7, SECRET);
            assertEquals(200, first.statusCode(), first.body());
            assertEquals(first.body(), call("1/a", 7, SECRET).body());
            assertEquals(401, call("1/b", 7, "another").statusCode());
            assertEquals(409, call("1/b", 6, SECRET).statusCode());
            assertEquals(400, call("", 7, SECRET).statusCode());
            List<CompletableFuture<HttpResponse<String>>> together = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                together.add(client.sendAsync(request("1/c", 8, SECRET), HttpResponse.BodyHandlers.ofString()));
            }
            for (CompletableFuture<HttpResponse<String>> each : together) {
                assertEquals("closed 1/c", each.get().body());
            }
            String another = "whsec_"
                    + Base64.getEncoder().encodeToString("another key of 24 bytes!".getBytes(StandardCharsets.UTF_8));
            assertEquals(401, standardCall(SLOT_ID, another, Instant.now()));
            assertEquals(401, standardCall("1-1", SECRET, Instant.now()));
            assertEquals(401, standardCall(SLOT_ID, SECRET, Instant.now().minusSeconds(600)));
            assertEquals(2, ReceiverDatabases.number(database, "select count(*) from effect"));
            assertEquals(200, standardCall(SLOT_ID, SECRET, Instant.now()));
            assertEquals(200, standardCall(SLOT_ID, SECRET, Instant.now()));
            assertEquals(3, ReceiverDatabases.number(database, "select count(*) from effect"));
            stop();
        }
    }

    @Test
    void the_python_example_lets_each_slot_take_effect_once() throws Exception {
        Path directory = EXAMPLES.resolve("python");
        for (String python : List.of("python3", "/usr/bin/python3")) {
            if (exitCode(directory, python, "-c", "import psycopg2") == 0) {
                receivesExactlyOnce(directory, python, "receiver.py");
                return;
            }
        }
        abort("skipped: needs python3 with psycopg2 (Debian: python3-psycopg2)");
    }

    @Test
    void the_node_example_lets_each_slot_take_effect_once() throws Exception {
        Path directory = Files.createDirectories(Path.of("target", "examples", "node"));
        for (String file : List.of("package.json", "receiver.mjs")) {
            Files.copy(
                    EXAMPLES.resolve("node").resolve(file),
                    directory.resolve(file),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        if (exitCode(directory, "npm", "install", "--no-audit", "--no-fund") != 0) {
            abort("skipped: needs node and npm, and a registry that serves the package pg");
        }
        receivesExactlyOnce(directory, "node", "receiver.mjs");
    }
}
