package io.twinbell.dist;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's first commands, from a copy of the scripts beside what the build has made. */
class PairScriptTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private Path top;

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void a_pair_comes_up_fires_tasks_of_every_type_survives_a_kill_and_goes_down() throws Exception {
        copyScripts();
        List<String> ports = freePorts(6);
        try {
            Unpacked.Outcome up = pair(
                    "up",
                    "--http-a",
                    ports.get(0),
                    "--jmx-a",
                    ports.get(1),
                    "--http-b",
                    ports.get(2),
                    "--jmx-b",
                    ports.get(3),
                    "--postgres-port",
                    ports.get(4),
                    "--zookeeper-port",
                    ports.get(5));
            assertEquals(0, up.exitCode(), up.said());
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

    private static String task(String name, String handler) {
        return "{\"app\":\"demo\",\"name\":\"" + name + "\",\"schedule\":{\"in\":\"PT0S\"},\"handler\":" + handler
                + "}";
    }

    private void post(String url, String json) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json));
        assertEquals(401, http.send(request.build(), BodyHandlers.discarding()).statusCode());
        String token = Files.readString(top.resolve("run/admin-token")).strip();
        var answer =
                http.send(request.header("Authorization", "Bearer " + token).build(), BodyHandlers.ofString());
        assertEquals(201, answer.statusCode(), answer.body());
    }

    private long succeeded(String api) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(api + "executions?app=demo&state=SUCCEEDED"))
                .build();
        String body = http.send(request, BodyHandlers.ofString()).body();
        return body.split("\"state\":\"SUCCEEDED\"", -1).length - 1L;
    }

    private Unpacked.Outcome pair(String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of("/usr/bin/env", "bash", "scripts/pair"));
        command.addAll(List.of(words));
        return Unpacked.run(top, Map.of(), command.toArray(String[]::new));
    }

    /** The modules are links, so that nothing is built again; run/ is the copy's own. */
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

    private static List<String> freePorts(int count) throws IOException {
        List<ServerSocket> open = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                open.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return open.stream()
                    .map(socket -> Integer.toString(socket.getLocalPort()))
                    .toList();
        } finally {
            for (ServerSocket socket : open) {
                socket.close();
            }
        }
    }
}
