package io.twinbell.embedded;

import io.twinbell.Twinbell;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A program with nothing on its class path but the jar and the three libraries that it shares with a node. */
public final class Application {
    private Application() {}

    /** @param args the database's URL, user and password, and ZooKeeper's address */
    public static void main(String[] args) throws Exception {
        CountDownLatch ran = new CountDownLatch(1);
        try (Twinbell node = Twinbell.builder()
                .set("node.id", "a")
                .set("http.port", "0")
                .set("jmx.port", "0")
                .set("database.url", args[0])
                .set("database.user", args[1])
                .set("database.password", args[2])
                .set("zookeeper.connect", args[3])
                .handler("app.greet", context -> {
                    ran.countDown();
                    return "hello " + context.name();
                })
                .start()) {
            System.out.println("joined " + node.awaitJoined(Duration.ofMinutes(2)));
            node.tasks()
                    .put(
                            "app",
                            "greet",
                            "{\"schedule\":{\"in\":\"PT0.1S\"},\"handler\":{\"type\":\"java\",\"key\":\"app.greet\"}}");
            System.out.println("ran " + ran.await(1, TimeUnit.MINUTES));
            System.out.println("/metrics " + status(node.url() + "/metrics"));
            System.out.println("/openapi.json " + status(node.url() + "/openapi.json"));
            HttpResponse<String> preview = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(node.url() + "/api/v1/schedules/preview"))
                                    .header("content-type", "application/json")
                                    .POST(HttpRequest.BodyPublishers.ofString(
                                            "{\"schedule\":{\"cron\":\"0 9 * * 1\"},\"count\":1}"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            System.out.println(
                    "preview " + preview.statusCode() + " " + preview.body().contains("Monday"));
        }
        System.out.println("closed");
    }

    private static String status(String url) throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + (answer.body().isBlank() ? " empty" : "");
    }
}
