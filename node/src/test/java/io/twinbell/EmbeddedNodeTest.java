package io.twinbell;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.twinbell.handler.TaskContext;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServerFactory;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class EmbeddedNodeTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final BlockingQueue<TaskContext> calls = new LinkedBlockingQueue<>();

    @Test
    void a_program_runs_its_own_code_as_a_task_and_the_ledger_has_the_outcome() throws Exception {
        try (TestingServer zooKeeper = new TestingServer();
                Twinbell node = start(zooKeeper)) {
            await().until(() -> node.role().equals("MASTER"));
            String task = "{\"app\":\"billing\",\"name\":\"close\",\"schedule\":{\"in\":\"PT0.1S\"},\"data\":{\"n\":7},"
                    + "\"handler\":{\"type\":\"java\",\"key\":\"invoice.close\"}}";
            assertEquals(201, post(node.url() + "/api/v1/tasks", task));

            TaskContext call = calls.poll(30, TimeUnit.SECONDS);
            assertEquals("billing/close", call.app() + "/" + call.name());
            assertEquals(1, call.attempt());
            TestTasks ledger = new TestTasks(database);
            await().until(() ->
                    ledger.query("select state, output from twinbell.execution").equals(List.of("SUCCEEDED|closed 7")));
        }
    }

    @Test
    void what_an_application_adds_in_its_own_transaction_runs_when_that_commits() throws Exception {
        try (TestingServer zooKeeper = new TestingServer();
                Twinbell node = start(zooKeeper);
                Connection application = database.getConnection()) {
            await().until(() -> node.role().equals("MASTER"));
            application.setAutoCommit(false);
            String add = "select twinbell.add_task('billing', '%s', '{\"in\":\"PT0.1S\"}',"
                    + " '{\"type\":\"java\",\"key\":\"invoice.close\"}', '{\"data\":{\"n\":7}}')";
            application.createStatement().execute(add.formatted("rolled-back"));
            application.rollback();
            application.createStatement().execute(add.formatted("committed"));
            application.commit();

            assertEquals("committed", calls.poll(30, TimeUnit.SECONDS).name());
            assertEquals(0, calls.size());
        }
    }

    @Test
    void a_key_has_one_handler() {
        Twinbell.Builder builder = Twinbell.builder().handler("k", context -> null);
        assertThrows(IllegalArgumentException.class, () -> builder.handler("k", context -> null));
    }

    private Twinbell start(TestingServer zooKeeper) {
        return Twinbell.builder()
                .set("node.id", "a")
                .set("http.port", "0")
                .set("jmx.port", "0")
                .set("database.url", database.getUrl())
                .set("database.user", database.getUser())
                .set("database.password", String.valueOf(database.getPassword()))
                .set("zookeeper.connect", zooKeeper.getConnectString())
                .beanServer(MBeanServerFactory.newMBeanServer())
                .handler("invoice.close", context -> {
                    calls.add(context);
                    return "closed " + context.data().replaceAll("\\D", "");
                })
                .start();
    }

    private static int post(String url, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
