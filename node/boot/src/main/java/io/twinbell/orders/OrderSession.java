package io.twinbell.orders;

import io.twinbell.Twinbell;
import io.twinbell.orders.OrderHandlers.Order;
import io.twinbell.client.JdbcTaskClient;
import io.twinbell.spring.TwinbellNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** What the application does with its node. */
final class OrderSession {
    private final ConfigurableApplicationContext context;
    private final OrderHandlers handlers;
    private final OrderLog log;
    private final JdbcTaskClient tasks;

    OrderSession(ConfigurableApplicationContext context) {
        this.context = context;
        handlers = context.getBean(OrderHandlers.class);
        log = context.getBean(OrderLog.class);
        tasks = context.getBean(JdbcTaskClient.class);
    }

    void enqueue() throws Exception {
        TwinbellNode node = context.getBean(TwinbellNode.class);
        Orders.say("beans " + tasks.getClass().getSimpleName() + ", "
                + node.getClass().getSimpleName());
        node.node().awaitJoined(Duration.ofMinutes(2));
        try {
            handlers.order("lost", new Order(1), true);
        } catch (IllegalStateException e) {
            handlers.order("kept", new Order(2), false);
        }
        Orders.say("ran " + await("kept"));
        tasks.schedule(OrderHandlers.BOOK, new Order(3)).named("booked");
        JdbcTemplate sql = context.getBean(JdbcTemplate.class);
        while (sql.queryForObject(
                        "select count(*) from twinbell.execution where name = 'booked' and state = 'SUCCEEDED'",
                        Integer.class)
                == 0) {
            Thread.onSpinWait();
        }
        Orders.say("exactly once " + sql.queryForObject("select id from public.customer", Long.class));
        Orders.say("recurring " + await("poll"));
    }

    /** The next run whose description begins so. */
    private String await(String start) throws InterruptedException {
        while (true) {
            String run = log.runs.poll(1, TimeUnit.MINUTES);
            if (run == null || run.startsWith(start)) {
                return run;
            }
        }
    }

    void monitor() throws Exception {
        String health = get("/actuator/health");
        Orders.say("health " + find(health, "\"twinbell\":\\{.*?\"status\":\"(\\w+)\"|\"status\":\"(\\w+)\"") + " "
                + find(health, "\"role\":\"(\\w+)\""));
        Orders.say("info " + find(get("/actuator/info"), "\"role\":\"(\\w+)\""));
        String endpoint = get("/actuator/twinbell");
        Orders.say("endpoint " + list(endpoint, "handlers") + " " + list(endpoint, "recurring") + " "
                + list(endpoint, "undeclaredRecurring"));
        get("/actuator/prometheus");
        String metrics = get("/actuator/prometheus");
        Orders.say("metrics " + metrics.contains("\ntwinbell_epoch ") + " "
                + metrics.contains("\ntwinbell_lateness_seconds_count ") + " "
                + metrics.contains("\ntwinbell_claims_total "));
        try {
            Orders.say("listeners " + node().url());
        } catch (IllegalStateException e) {
            Orders.say("listeners false");
        }
    }

    /** A handler that runs may go on while the context closes, and its beans are still there. */
    void close() throws Exception {
        tasks.schedule(OrderHandlers.SLOW, new Order(4)).named("slow");
        log.slowHasStarted.await(1, TimeUnit.MINUTES);
        Twinbell node = node();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close);
        while (!node.role().equals("DEMOTING")) {
            Thread.onSpinWait();
        }
        log.slowMayEnd.countDown();
        closed.get(1, TimeUnit.MINUTES);
    }

    private Twinbell node() {
        return context.getBean(TwinbellNode.class).node();
    }

    private static String list(String json, String member) {
        return "[" + find(json, "\"" + member + "\":\\[(.*?)]").replace("\"", "").replace(",", ", ") + "]";
    }

    private static String find(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        if (!matcher.find()) {
            return "nothing in " + text;
        }
        return matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
    }

    private String get(String path) throws Exception {
        String port = context.getEnvironment().getProperty("local.server.port");
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
