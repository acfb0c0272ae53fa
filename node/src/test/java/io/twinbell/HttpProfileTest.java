package io.twinbell;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Tasks whose calls name an http profile, on nodes that have it or lack it. */
@Timeout(120)
class HttpProfileTest {
    private static final String CALL = """
            {"schedule": {"every": "PT1S"},
             "handler": {"type": "http", "url": "http://127.0.0.1:9/", "profile": "%s"}}""";

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final String zooKeeper = TestZooKeeper.freshFolder();
    private final TestTasks ledger = new TestTasks(database);
    private HttpServer proxy;

    @BeforeEach
    void start() throws Exception {
        // Forwarded http requests have absolute URLs, which this server takes like any other.
        proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        proxy.createContext("/", exchange -> {
            byte[] line = ("for " + exchange.getRequestURI()).getBytes();
            exchange.sendResponseHeaders(200, line.length);
            exchange.getResponseBody().write(line);
            exchange.close();
        });
        proxy.start();
    }

    @AfterEach
    void stop() throws Exception {
        proxy.stop(0);
    }

    @Test
    void a_task_is_called_through_its_proxy_and_the_other_node_is_not_ready_without_the_profile() throws Exception {
        try (Twinbell node = withProfile("a").start()) {
            assertTrue(node.awaitJoined(Duration.ofMinutes(1)));
            await().until(() -> node.role().equals("MASTER"));
            node.tasks().put("shop", "send", CALL.formatted("partner"));
            await().until(() -> ledger.query("select distinct output from twinbell.execution where state = 'SUCCEEDED'")
                    .equals(List.of("HTTP 200\nfor http://127.0.0.1:9/")));
            String misspelled = put(node, CALL.formatted("partnr"));
            assertTrue(misspelled.contains("did you mean \\\"partner\\\"?"), misspelled);
            assertTrue(misspelled.contains("/handler/profile"), misspelled);
            try (Twinbell other = builder("b").start()) {
                assertTrue(other.awaitJoined(Duration.ofMinutes(1)));
                await().until(() -> cluster(node).contains("node b has no http profile \\\"partner\\\", which"));
                node.tasks().remove("shop", "send");
                await().until(() -> !cluster(node).contains("http profile"));
            }
        }
    }

    @Test
    void a_node_without_the_profile_fails_the_attempt_and_calls_nobody() throws Exception {
        try (Twinbell node = withProfile("a").start()) {
            assertTrue(node.awaitJoined(Duration.ofMinutes(1)));
            node.tasks().put("shop", "send", CALL.formatted("partner"));
        }
        try (Twinbell node = builder("b").start()) {
            assertTrue(node.awaitJoined(Duration.ofMinutes(1)));
            await().until(() -> ledger.query("select distinct error from twinbell.execution where state = 'FAILED'")
                    .equals(List.of("not called: this node has no http profiles; add handlers.http.profiles.partner"
                            + " to its configuration")));
        }
    }

    private static String put(Twinbell node, String task) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(node.url() + "/api/v1/apps/shop/tasks/typo"))
                .header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString(task))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }

    private static String cluster(Twinbell node) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(node.url() + "/api/v1/cluster"))
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }

    private Twinbell.Builder withProfile(String id) {
        return builder(id)
                .set(
                        "handlers.http.profiles.partner.proxy",
                        "http://127.0.0.1:" + proxy.getAddress().getPort());
    }

    private Twinbell.Builder builder(String id) {
        return TestNodes.builder(id, database, zooKeeper).set("http.access", "OPEN");
    }
}
