package io.twinbell.dist;

import static org.awaitility.Awaitility.await;

import io.twinbell.persistence.testing.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.postgresql.ds.PGSimpleDataSource;

/** The tarball of this build, unpacked in a directory with a blank in its name, and the node that runs there. */
final class Unpacked {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Path TARGET = Path.of("target").toAbsolutePath();

    private final Path top;
    private final String shippedConfiguration;
    private int httpPort;

    private Unpacked(Path top) throws IOException {
        this.top = top;
        shippedConfiguration = Files.readString(top.resolve("conf.example/twinbell.yaml"));
    }

    record Outcome(int exitCode, String said) {}

    static Path tarball() {
        return TARGET.resolve("twinbell-" + System.getProperty("twinbell.version") + ".tar.gz");
    }

    static Unpacked in(Path directory) throws IOException {
        Path top = untar(directory);
        succeed(top, "cp", "-R", "conf.example", "conf");
        return new Unpacked(top);
    }

    /** The archive as it is, also over an earlier one. */
    static Path untar(Path directory) throws IOException {
        Path place = Files.createDirectories(directory.resolve("a place"));
        succeed(place, "tar", "xzf", tarball().toString());
        return place.resolve("twinbell-" + System.getProperty("twinbell.version"));
    }

    private static void succeed(Path directory, String... command) throws IOException {
        Outcome outcome = run(directory, Map.of(), command);
        if (outcome.exitCode() != 0) {
            throw new IOException(outcome.said());
        }
    }

    Path top() {
        return top;
    }

    String url() {
        return "http://127.0.0.1:" + httpPort;
    }

    /** Edits the one file that has to be edited, as a person would. */
    void configure(String node, PGSimpleDataSource database, String zooKeeper) throws IOException {
        Path file = top.resolve("conf/twinbell.yaml");
        httpPort = FreePort.take();
        String edited = shippedConfiguration
                .replace("cluster: twinbell", "cluster: " + database.getDatabaseName())
                .replace("id: a", "id: " + node)
                .replace("port: 8081", "port: " + httpPort)
                .replace("port: 9081", "port: " + FreePort.take())
                .replace("jdbc:postgresql://127.0.0.1:5432/twinbell", database.getUrl())
                .replace("user: twinbell", "user: " + database.getUser())
                .replace("127.0.0.1:2181", zooKeeper);
        Files.writeString(file, edited);
    }

    Outcome node(String... words) throws IOException {
        return run(top, Map.of(), command("bin/twinbell-node", words));
    }

    Outcome command(String... words) throws IOException {
        return run(top, Map.of(), command("bin/twinbell", words));
    }

    /** Starts the daemon, which returns when it is ready. */
    void start() throws IOException {
        Outcome outcome = node("start");
        if (outcome.exitCode() != 0) {
            throw new IOException(outcome.said());
        }
    }

    boolean isMaster() {
        return status("/health/master") == 200;
    }

    void awaitMaster() {
        await().atMost(Duration.ofSeconds(60)).until(this::isMaster);
    }

    void awaitFailoverReady() {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> get("/api/v1/cluster").contains("\"failoverReady\":{\"ready\":true"));
    }

    String get(String path) throws IOException, InterruptedException {
        return HTTP.send(request(path).build(), BodyHandlers.ofString()).body();
    }

    /** The status code, or 0 without an answer. */
    int status(String path) {
        try {
            return HTTP.send(request(path).build(), BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    String post(String path, String json) throws IOException, InterruptedException {
        HttpRequest request = request(path)
                .header("Content-Type", "application/json")
                .header(
                        "Authorization",
                        "Bearer " + Files.readString(top.resolve("admin-token")).strip())
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build();
        return HTTP.send(request, BodyHandlers.ofString()).body();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url() + path)).timeout(Duration.ofSeconds(20));
    }

    private static String[] command(String program, String... words) {
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(List.of(words));
        return command.toArray(String[]::new);
    }

    /** Runs a command with its output in a file. With a pipe, a daemon would keep the other end open. */
    static Outcome run(Path directory, Map<String, String> environment, String... command) throws IOException {
        Path said = Files.createTempFile("said", null);
        try {
            ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("TWINBELL_"));
            builder.environment().putAll(environment);
            Process process = builder.redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            int exitCode = process.onExit().join().exitValue();
            return new Outcome(exitCode, Files.readString(said, StandardCharsets.UTF_8));
        } finally {
            Files.delete(said);
        }
    }
}
