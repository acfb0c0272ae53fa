package io.twinbell.node.api.access;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** A Keycloak server in a process of its own, with the realm {@code ops}. Its database is a file. */
final class Keycloak {
    private static final String ADMIN = "root";
    private static final String ADMIN_PASSWORD = "root-password";
    private static final Duration START = Duration.ofMinutes(5);

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final ObjectMapper json = new ObjectMapper();
    private final Path home;
    private final int port;
    private Process process;

    private Keycloak(Path home, int port) {
        this.home = home;
        this.port = port;
    }

    /** Unpacks the server, and stores the realm for its first start. */
    static Keycloak unpacked(Path zip, Path folder, int port, String realm) throws IOException {
        try (ZipInputStream in = new ZipInputStream(Files.newInputStream(zip))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                Path path = folder.resolve(entry.getName());
                if (entry.isDirectory()) {
                    Files.createDirectories(path);
                } else {
                    Files.createDirectories(path.getParent());
                    Files.copy(in, path);
                }
            }
        }
        try (var folders = Files.list(folder)) {
            Keycloak keycloak = new Keycloak(folders.findFirst().orElseThrow(), port);
            Path imported = Files.createDirectories(keycloak.home.resolve("data/import"));
            Files.writeString(imported.resolve("ops-realm.json"), realm);
            return keycloak;
        }
    }

    String issuer() {
        return "http://127.0.0.1:" + port + "/realms/ops";
    }

    /** Starts the server and waits until it answers. */
    void start() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        "bash",
                        home.resolve("bin/kc.sh").toString(),
                        "start-dev",
                        "--http-host=127.0.0.1",
                        "--http-port=" + port,
                        "--import-realm")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        home.resolve("keycloak.log").toFile()));
        builder.environment()
                .putAll(Map.of(
                        "JAVA_HOME",
                        System.getProperty("java.home"),
                        "JAVA_OPTS_APPEND",
                        "-Xmx512m",
                        "KC_BOOTSTRAP_ADMIN_USERNAME",
                        ADMIN,
                        "KC_BOOTSTRAP_ADMIN_PASSWORD",
                        ADMIN_PASSWORD));
        process = builder.start();
        await().atMost(START).pollInterval(Duration.ofSeconds(1)).until(this::answers);
    }

    private boolean answers() throws InterruptedException {
        if (!process.isAlive()) {
            throw new IllegalStateException("Keycloak has ended: " + log());
        }
        try {
            return send(request(URI.create(issuer())).GET().build()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private String log() {
        try {
            return Files.readString(home.resolve("keycloak.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends SIGKILL to the server. */
    void kill() throws InterruptedException {
        if (process == null) {
            return;
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
    }

    /** Sends STOP or CONT to the server: a stopped one accepts connections and does not answer. */
    void signal(String name) throws Exception {
        for (ProcessHandle each : Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .toList()) {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(each.pid())).start();
            assertEquals(0, kill.waitFor());
        }
    }

    /** The answer of the token endpoint to a person's name and password. */
    JsonNode login(String client, String person) throws Exception {
        return tokens(Map.of(
                "grant_type",
                "password",
                "client_id",
                client,
                "client_secret",
                client + "-secret",
                "scope",
                "openid",
                "username",
                person,
                "password",
                person + "-password"));
    }

    String accessToken(String client, String person) throws Exception {
        return login(client, person).path("access_token").asText();
    }

    /** The access token of a program, which has no person. */
    String serviceToken(String client) throws Exception {
        return tokens(Map.of(
                        "grant_type", "client_credentials", "client_id", client, "client_secret", client + "-secret"))
                .path("access_token")
                .asText();
    }

    private JsonNode tokens(Map<String, String> form) throws Exception {
        return posted(URI.create(issuer() + "/protocol/openid-connect/token"), form);
    }

    private JsonNode posted(URI uri, Map<String, String> form) throws Exception {
        HttpResponse<String> response = send(request(uri)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(encoded(form)))
                .build());
        assertEquals(200, response.statusCode(), response.body());
        return json.readTree(response.body());
    }

    static String encoded(Map<String, String> form) {
        return form.entrySet().stream()
                .map(one -> one.getKey() + "=" + URLEncoder.encode(one.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }

    /** The key that signs now, in Base64. */
    String publicKey() throws Exception {
        return json.readTree(send(request(URI.create(issuer())).GET().build()).body())
                .path("public_key")
                .asText();
    }

    /** Generates a key that signs from now on; older keys stay published. */
    void rotate(String name) throws Exception {
        HttpResponse<String> created = send(administrative("/components")
                .POST(BodyPublishers.ofString(json.writeValueAsString(Map.of(
                        "name",
                        name,
                        "providerId",
                        "rsa-generated",
                        "providerType",
                        "org.keycloak.keys.KeyProvider",
                        "config",
                        Map.of("priority", new String[] {Long.toString(System.currentTimeMillis())})))))
                .build());
        assertEquals(201, created.statusCode(), created.body());
    }

    /** Removes all keys that sign by RSA, except one. */
    void retire(String keep) throws Exception {
        JsonNode keys = json.readTree(send(administrative("/components?type=org.keycloak.keys.KeyProvider")
                        .GET()
                        .build())
                .body());
        for (JsonNode each : keys) {
            if (each.path("providerId").asText().equals("rsa-generated")
                    && !each.path("name").asText().equals(keep)) {
                assertEquals(
                        204,
                        send(administrative("/components/" + each.path("id").asText())
                                        .DELETE()
                                        .build())
                                .statusCode());
            }
        }
    }

    private HttpRequest.Builder administrative(String path) throws Exception {
        URI server = URI.create("http://127.0.0.1:" + port);
        String token = posted(
                        server.resolve("/realms/master/protocol/openid-connect/token"),
                        Map.of(
                                "grant_type",
                                "password",
                                "client_id",
                                "admin-cli",
                                "username",
                                ADMIN,
                                "password",
                                ADMIN_PASSWORD))
                .path("access_token")
                .asText();
        return request(server.resolve("/admin/realms/ops" + path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json");
    }

    private static HttpRequest.Builder request(URI uri) {
        return HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(30));
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return http.send(request, BodyHandlers.ofString());
    }

    /** The realm of the tests, whose console is at that address. */
    static String realm(String console) throws IOException {
        try (InputStream in = Keycloak.class.getResourceAsStream("keycloak-realm.json")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("CONSOLE", console);
        }
    }
}
