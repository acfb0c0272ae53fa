package io.twinbell.embedded;

import io.twinbell.Twinbell;
import io.twinbell.handler.AttemptOutcome;
import io.twinbell.handler.InterceptedRun;
import io.twinbell.handler.InterceptorScope;
import io.twinbell.handler.TaskInterceptor;
import io.twinbell.node.tls.TlsFiles;
import io.twinbell.node.tls.TlsMaterial;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A program with nothing on its class path but the jars of a node and the libraries that it shares with a node. */
public final class Application {
    private final HttpClient client;
    private final Twinbell node;
    private final CountDownLatch ran;
    private final CompletableFuture<AttemptOutcome> called;
    private final boolean hasApi;

    private Application(
            HttpClient client,
            Twinbell node,
            CountDownLatch ran,
            CompletableFuture<AttemptOutcome> called,
            boolean hasApi) {
        this.client = client;
        this.node = node;
        this.ran = ran;
        this.called = called;
        this.hasApi = hasApi;
    }

    /** @param args the authority of the node's certificate, or "none" without TLS; then keys of the configuration as key=value */
    public static void main(String[] args) throws Exception {
        HttpClient.Builder client = HttpClient.newBuilder();
        if (!args[0].equals("none")) {
            client.sslContext(TlsMaterial.read(TlsFiles.forClient(Path.of(args[0]), null, null))
                    .client());
        }
        CountDownLatch ran = new CountDownLatch(1);
        CompletableFuture<AttemptOutcome> called = new CompletableFuture<>();
        Twinbell.Builder builder = Twinbell.builder()
                .set("node.id", "a")
                .set("http.enabled", "true")
                .set("http.port", "0")
                .set("jmx.port", "0")
                .intercept(InterceptorScope.handler("http"), new TaskInterceptor() {
                    @Override
                    public void after(InterceptedRun run, AttemptOutcome outcome) {
                        called.complete(outcome);
                    }
                })
                .handler("app.greet", context -> {
                    ran.countDown();
                    return "hello " + context.name();
                });
        Arrays.stream(args).skip(1).map(set -> set.split("=", 2)).forEach(set -> builder.set(set[0], set[1]));
        try (Twinbell node = builder.start()) {
            new Application(
                            client.build(),
                            node,
                            ran,
                            called,
                            !Arrays.asList(args).contains("http.enabled=false"))
                    .run(!args[0].equals("none"));
        }
        System.out.println("closed");
    }

    private void run(boolean hasTls) throws Exception {
        System.out.println("joined " + node.awaitJoined(Duration.ofMinutes(2)));
        node.tasks()
                .put(
                        "app",
                        "greet",
                        "{\"schedule\":{\"in\":\"PT0.1S\"},\"handler\":{\"type\":\"java\",\"key\":\"app.greet\"}}");
        System.out.println("ran " + ran.await(1, TimeUnit.MINUTES));
        if (!hasApi) {
            return;
        }
        System.out.println("/metrics " + status("/metrics"));
        System.out.println("/openapi.json " + status("/openapi.json"));
        HttpResponse<String> preview = client.send(
                HttpRequest.newBuilder(URI.create(node.url() + "/api/v1/schedules/preview"))
                        .header("content-type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(
                                "{\"schedule\":{\"cron\":\"0 9 * * 1\"},\"count\":1}"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        System.out.println(
                "preview " + preview.statusCode() + " " + preview.body().contains("Monday"));
        call(hasTls);
    }

    private void call(boolean hasTls) throws Exception {
        String profile = hasTls ? ",\"profile\":\"own\"" : "";
        node.tasks()
                .put(
                        "app",
                        "call",
                        "{\"schedule\":{\"in\":\"PT0.1S\"},\"handler\":{\"type\":\"http\",\"method\":\"GET\",\"url\":\""
                                + node.url() + "/health/live\"" + profile + "}}");
        System.out.println("called " + called.get(1, TimeUnit.MINUTES).state());
    }

    private String status(String path) throws Exception {
        HttpResponse<String> answer = client.send(
                HttpRequest.newBuilder(URI.create(node.url() + path)).build(), HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + (answer.body().isBlank() ? " empty" : "");
    }
}
