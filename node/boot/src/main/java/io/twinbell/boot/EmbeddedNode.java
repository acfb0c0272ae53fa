package io.twinbell.boot;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.twinbell.Twinbell;
import io.twinbell.client.HandlerKey;
import io.twinbell.client.JdbcTaskClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The application's use of Twinbell. */
final class EmbeddedNode {
    private static final HandlerKey<Reminder> REMIND = HandlerKey.of("shop.remind", Reminder.class);

    /** A payload. */
    record Reminder(String customer, @JsonProperty("order-number") long order) {}

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
                .handler(REMIND, (reminder, task) -> runs.add(reminder.customer() + " about " + reminder.order()))
                .start()) {
            Shop.say("joined " + node.awaitJoined(Duration.ofMinutes(2)));
            node.tasks()
                    .put(
                            "shop",
                            "bill",
                            "{\"schedule\":{\"in\":\"PT0.1S\"},\"handler\":{\"type\":\"java\",\"key\":\"shop.bill\"}}");
            Shop.say("ran " + runs.poll(1, TimeUnit.MINUTES));
            remind(context);
            Shop.say("reminded " + runs.poll(1, TimeUnit.MINUTES));
            Shop.say("/metrics " + get(node.url() + "/metrics"));
            Shop.say("/health/live " + get(node.url() + "/health/live"));
            Shop.say("schema "
                    + context.getBean(JdbcTemplate.class)
                            .queryForObject(
                                    "select count(*) > 20 from twinbell.flyway_schema_history", Boolean.class));
        }
    }

    /** Schedules in two transactions of Spring, of which the first is rolled back. */
    private static void remind(ConfigurableApplicationContext context) {
        DataSource dataSource = context.getBean(DataSource.class);
        TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        JdbcTaskClient tasks = JdbcTaskClient.of(
                new JdbcTaskClient.ConnectionLender() {
                    @Override
                    public Connection borrow() {
                        return DataSourceUtils.getConnection(dataSource);
                    }

                    @Override
                    public void giveBack(Connection connection) {
                        DataSourceUtils.releaseConnection(connection, dataSource);
                    }
                },
                "shop");
        transaction.executeWithoutResult(status -> {
            tasks.schedule(REMIND, new Reminder("Ada", 1)).named("rolled-back");
            status.setRollbackOnly();
        });
        transaction.executeWithoutResult(
                status -> tasks.schedule(REMIND, new Reminder("Bob", 2)).named("committed"));
    }

    private static String get(String url) throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + (answer.body().isBlank() ? " empty" : "");
    }
}
