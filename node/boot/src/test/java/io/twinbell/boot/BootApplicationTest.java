package io.twinbell.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.orders.Orders;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real {@code java -jar} application of this release of Spring Boot, with a node and without. */
@Timeout(300)
class BootApplicationTest {
    private static final Path TARGET = Path.of("target");

    @Test
    void an_application_that_embeds_a_node_runs_tasks_and_is_otherwise_configured_as_without() throws Exception {
        List<String> without = run(List.of("-cp", classPathWithoutTwinbell(), Shop.class.getName()));
        List<String> with = run(List.of("-jar", TARGET.resolve("shop.jar").toString(), "--twinbell.enabled=false"));

        assertEquals("closed", without.get(without.size() - 1));
        List<String> expected = new ArrayList<>(without.subList(0, without.size() - 1));
        expected.addAll(List.of(
                "joined true",
                "ran bill",
                "reminded Bob about 2",
                "/metrics 200",
                "/health/live 200",
                "schema true",
                "closed"));
        assertEquals(String.join("\n", expected), String.join("\n", with));
        assertEquals(1, with.stream().filter("tables [public.customer, public.invoice]"::equals).count());
    }

    @Test
    void an_application_with_the_starter_enqueues_in_its_transactions_and_shows_its_node() throws Exception {
        List<String> lines = run(List.of("-cp", System.getProperty("shop.classpath"), Orders.class.getName()));
        assertEquals(
                String.join(
                        "\n",
                        "beans JdbcTaskClient, TwinbellNode",
                        "ran kept 2",
                        "exactly once 3",
                        "recurring poll",
                        "health UP MASTER",
                        "info MASTER",
                        "endpoint [code:orders/poll, orders.book, orders.close, orders.slow] [poll] []",
                        "metrics true true true",
                        "listeners false",
                        "drained slow",
                        "closed"),
                String.join("\n", lines));
    }

    private static List<String> run(List<String> program) throws IOException, InterruptedException {
        try (EmbeddedPostgres database = EmbeddedPostgres.start();
                TestingServer zooKeeper = startZooKeeper()) {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(program);
            command.add("--server.port=0");
            command.add("--spring.datasource.url=" + database.getJdbcUrl("postgres", "postgres"));
            command.add("--spring.datasource.username=postgres");
            command.add("--shop.zookeeper=" + zooKeeper.getConnectString());
            Process application = new ProcessBuilder(command)
                    .redirectError(TARGET.resolve("shop.err").toFile())
                    .start();
            List<String> all = application.inputReader().lines().toList();
            application.waitFor();
            all.forEach(System.out::println);
            return all.stream()
                    .filter(line -> line.startsWith("SHOP "))
                    .map(line -> line.substring("SHOP ".length()))
                    .toList();
        }
    }

    private static TestingServer startZooKeeper() throws IOException {
        try {
            return new TestingServer();
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    /** What the application has by itself: neither Twinbell nor what the tests use. It has Jackson 2 in both cases. */
    private static String classPathWithoutTwinbell() {
        return Stream.of(System.getProperty("shop.classpath").split(File.pathSeparator))
                .filter(path -> !path.matches(".*twinbell-(embedded|node|client|spring-boot-starter)-[^/\\\\]*\\.jar"))
                .filter(path -> !path.contains(File.separator + "io" + File.separator + "opentelemetry"))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
