package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The projects on the pages about Quarkus and Micronaut, built and tested from an empty folder, and run. */
@Timeout(1200)
@Tag("thorough")
class FrameworkPagesTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final int TERMINATED = 143;

    @TempDir
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void the_quarkus_application_closes_its_orders_and_hands_over_when_it_stops() throws Exception {
        PageProject project = new PageProject("QUARKUS.md", folder);
        assertEquals(
                List.of(
                        "pom.xml",
                        "src/main/resources/application.properties",
                        "src/main/resources/db/migration/V1__orders.sql",
                        "src/main/java/shop/Scheduler.java",
                        "src/main/java/shop/Orders.java",
                        "src/test/java/shop/OrdersTest.java"),
                project.names());
        buildAndRun(
                project,
                List.of("-jar", "target/quarkus-app/quarkus-run.jar"),
                new Variables(
                        "QUARKUS_DATASOURCE_JDBC_URL",
                        "QUARKUS_DATASOURCE_USERNAME",
                        List.of("QUARKUS_HTTP_PORT", "QUARKUS_HTTP_TEST_PORT")));
    }

    @Test
    void the_micronaut_application_closes_its_orders_and_hands_over_when_it_stops() throws Exception {
        PageProject project = new PageProject("MICRONAUT.md", folder);
        assertEquals(List.of("""
                pom.xml src/main/resources/application.properties src/main/resources/logback.xml \
                src/main/resources/db/migration/V1__orders.sql src/main/java/shop/ShopApplication.java \
                src/main/java/shop/Scheduler.java src/main/java/shop/Orders.java \
                src/test/java/shop/OrdersTest.java""".split(" ")), project.names());
        buildAndRun(
                project,
                List.of("-cp", "target/classes:target/dependency/*", "shop.ShopApplication"),
                new Variables(
                        "DATASOURCES_DEFAULT_URL", "DATASOURCES_DEFAULT_USERNAME", List.of("MICRONAUT_SERVER_PORT")));
    }

    /** The names that a framework gives to settings in the environment. */
    private record Variables(String url, String user, List<String> ports) {}

    private void buildAndRun(PageProject project, List<String> arguments, Variables names) throws Exception {
        try (EmbeddedPostgres database = EmbeddedPostgres.start();
                TestingServer zooKeeper = new TestingServer()) {
            int port = FreePort.take();
            Map<String, String> environment = new HashMap<>(Map.of(
                    names.url,
                    database.getJdbcUrl("postgres", "postgres"),
                    names.user,
                    "postgres",
                    "SHOP_ZOOKEEPER",
                    zooKeeper.getConnectString()));
            names.ports.forEach(name -> environment.put(name, Integer.toString(port)));
            project.requireTests(2, "verify", environment);
            try (PageProgram program = new PageProgram(folder, environment, arguments)) {
                placeOrders(program, URI.create("http://127.0.0.1:" + port + "/orders/"));
                assertEquals(TERMINATED, program.terminate());
            }
            try (Connection connection = database.getPostgresDatabase().getConnection();
                    Statement statement = connection.createStatement()) {
                // One order of the project's own test, and one of the running application.
                assertEquals(2, first(statement, "select count(*) from twinbell.execution where state = 'SUCCEEDED'"));
                assertEquals(0, first(statement, "select count(*) from twinbell.task where name like 'order--%'"));
                assertEquals(1, first(statement, "select count(*) from twinbell.epoch where resigned_at is not null"));
            }
        }
    }

    private void placeOrders(PageProgram program, URI orders) {
        await(program, () -> call(orders, "GET", "4711") != null);
        assertEquals(2, call(orders, "PUT", "4711").statusCode() / 100, program::output);
        assertEquals(500, call(orders, "PUT", "-4711").statusCode());
        await(program, () -> call(orders, "GET", "4711").body().contains("\"closed\":true"));
    }

    private static void await(PageProgram program, BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(program.isAlive() && System.nanoTime() < end, program::output);
            LockSupport.parkNanos(POLL.toNanos());
        }
    }

    /** Returns null if the application does not listen yet. */
    private HttpResponse<String> call(URI orders, String method, String number) {
        HttpRequest request = HttpRequest.newBuilder(orders.resolve(number))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (ConnectException e) {
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int first(Statement statement, String sql) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            assertTrue(rows.next());
            return rows.getInt(1);
        }
    }
}
