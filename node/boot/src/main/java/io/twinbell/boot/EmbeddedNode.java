package io.twinbell.boot;

import io.twinbell.Twinbell;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;

/** The application's use of Twinbell. */
final class EmbeddedNode {
    private EmbeddedNode() {}

    static void run(ConfigurableApplicationContext context) throws Exception {
        Environment settings = context.getEnvironment();
        BlockingQueue<String> runs = new LinkedBlockingQueue<>();
        try (Twinbell node = Twinbell.builder()
                .set("node.id", "a")
                .set("http.port", "0")
                .set("jmx.port", "0")
                .set("database.url", settings.getRequiredProperty("spring.datasource.url"))
                .set("database.user", settings.getRequiredProperty("spring.datasource.username"))
                .set("zookeeper.connect", settings.getRequiredProperty("shop.zookeeper"))
                .handler("shop.bill", task -> {
                    runs.add(task.name());
                    return "billed";
                })
                .start()) {
            Shop.say("joined " + node.awaitJoined(Duration.ofMinutes(2)));
            node.tasks()
                    .put(
                            "shop",
                            "bill",
                            "{\"schedule\":{\"in\":\"PT0.1S\"},\"handler\":{\"type\":\"java\",\"key\":\"shop.bill\"}}");
            Shop.say("ran " + runs.poll(1, TimeUnit.MINUTES));
            Shop.say("/metrics " + get(node.url() + "/metrics"));
            Shop.say("/health/live " + get(node.url() + "/health/live"));
            Shop.say("schema "
                    + context.getBean(JdbcTemplate.class)
                            .queryForObject(
                                    "select count(*) > 20 from twinbell.flyway_schema_history", Boolean.class));
        }
    }

    private static String get(String url) throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + (answer.body().isBlank() ? " empty" : "");
    }
}
