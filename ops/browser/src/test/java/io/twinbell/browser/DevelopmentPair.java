package io.twinbell.browser;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.persistence.testing.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** The pair of {@code scripts/pair}, from a copy of the scripts beside what the build has made. All test classes share it. */
final class DevelopmentPair implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final List<String> PORTS =
            List.of("--http-a", "--jmx-a", "--http-b", "--jmx-b", "--postgres-port", "--zookeeper-port");

    private final HttpClient http = HttpClient.newHttpClient();
    private final Path top;
    private final List<String> ports;

    private DevelopmentPair(Path top, List<String> ports) {
        this.top = top;
        this.ports = ports;
    }

    /** Starts the pair when it is first asked for; it goes down after the last test. */
    static DevelopmentPair of(ExtensionContext context) {
        return context.getRoot()
                .getStore(Namespace.create(DevelopmentPair.class))
                .computeIfAbsent(DevelopmentPair.class, key -> up(), DevelopmentPair.class);
    }

    private static DevelopmentPair up() {
        try {
            Path top = Files.createTempDirectory("twinbell-browser");
            copyScripts(top);
            DevelopmentPair pair = new DevelopmentPair(
                    top,
                    PORTS.stream()
                            .map(flag -> Integer.toString(FreePort.take()))
                            .toList());
            List<String> words = new ArrayList<>(List.of("up"));
            for (int i = 0; i < PORTS.size(); i++) {
                words.addAll(List.of(PORTS.get(i), pair.ports.get(i)));
            }
            try {
                pair.run(words.toArray(String[]::new));
                await().atMost(LONG)
                        .until(() -> pair.cluster().at("/failoverReady/ready").asBoolean());
            } catch (RuntimeException | Error e) {
                pair.close();
                throw e;
            }
            return pair;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Where a node answers. */
    String url(String node) {
        return "http://127.0.0.1:" + ports.get(node.equals("a") ? 0 : 2);
    }

    String token() {
        try {
            return Files.readString(top.resolve("run/admin-token")).strip();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    String master() {
        return cluster().get("master").asText();
    }

    JsonNode cluster() {
        return get("/api/v1/cluster");
    }

    void kill(String node) {
        run("kill", node);
    }

    void start(String node) {
        run("start", node);
        await().atMost(LONG).until(() -> cluster().at("/failoverReady/ready").asBoolean());
    }

    /** Stops every process of the database server where it is, so that it answers nobody. */
    void freezeDatabase() {
        // The postmaster first, so that it starts no further process.
        signal("-STOP", Stream.of(postmaster()));
        signal("-STOP", postmaster().descendants());
    }

    void thawDatabase() {
        signal("-CONT", Stream.concat(Stream.of(postmaster()), postmaster().descendants()));
        await().atMost(LONG).until(() -> cluster().at("/failoverReady/ready").asBoolean());
    }

    private ProcessHandle postmaster() {
        try {
            Path pid = top.resolve("run/postgres/data/postmaster.pid");
            return ProcessHandle.of(
                            Long.parseLong(Files.readAllLines(pid).get(0).strip()))
                    .orElseThrow();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void signal(String signal, Stream<ProcessHandle> processes) {
        List<String> command = new ArrayList<>(List.of("kill", signal));
        processes.map(process -> Long.toString(process.pid())).forEach(command::add);
        try {
            new ProcessBuilder(command).inheritIO().start().onExit().join();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    JsonNode get(String path) {
        return send("GET", path, null, 200);
    }

    JsonNode post(String path, String json, int expectedStatus) {
        return send("POST", path, json, expectedStatus);
    }

    void put(String path, String json) {
        send("PUT", path, json, 200, 201);
    }

    /** Creates a task, or replaces it, and returns its id. */
    long task(String name, String schedule, String handler, String... more) {
        String json = "{\"schedule\":" + schedule + ",\"handler\":" + handler
                + Stream.of(more).map(part -> "," + part).reduce("", String::concat) + "}";
        return send("PUT", "/api/v1/apps/console/tasks/" + name, json, 200, 201)
                .get("id")
                .asLong();
    }

    /** A task whose run fails at once, because nothing listens on port 1. */
    void failedExecution(String name) {
        long id = task(name, "{\"in\":\"PT0S\"}", "{\"type\":\"http\",\"url\":\"http://127.0.0.1:1/x\"}");
        await().atMost(LONG)
                .until(() -> get("/api/v1/tasks/" + id + "/executions?state=FAILED")
                                .get("items")
                                .size()
                        > 0);
    }

    /** Asks the first node that answers. */
    JsonNode send(String method, String path, String json, int... expectedStatuses) {
        IllegalStateException unanswered = null;
        for (String node : List.of("a", "b")) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(url(node) + path))
                    .header("Authorization", "Bearer " + token())
                    .header("Content-Type", "application/json")
                    .method(method, json == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json))
                    .build();
            try {
                HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
                int status = answer.statusCode();
                assertEquals(
                        1,
                        Arrays.stream(expectedStatuses)
                                .filter(expected -> expected == status)
                                .count(),
                        method + " " + path + " is answered " + status + " " + answer.body());
                return answer.body().isEmpty() ? JSON.nullNode() : JSON.readTree(answer.body());
            } catch (IOException e) {
                unanswered = new IllegalStateException(method + " " + path + " at node " + node, e);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        throw unanswered;
    }

    @Override
    public void close() {
        run("down", "--wipe");
        try (Stream<Path> files = Files.walk(top)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs a command with its output in a file. With a pipe, a node would keep the other end open. */
    private void run(String... words) {
        List<String> command = new ArrayList<>(List.of("/usr/bin/env", "bash", "scripts/pair"));
        command.addAll(List.of(words));
        Path log = top.resolve("pair.log");
        try {
            ProcessBuilder builder = new ProcessBuilder(command).directory(top.toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("TWINBELL_"));
            Process process = builder.redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            int exitCode = process.onExit().join().exitValue();
            assertEquals(0, exitCode, String.join(" ", words) + ": " + Files.readString(log));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Copies the scripts. The modules are links, so nothing is built again; the copy has its own run/. */
    private static void copyScripts(Path top) throws IOException {
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
