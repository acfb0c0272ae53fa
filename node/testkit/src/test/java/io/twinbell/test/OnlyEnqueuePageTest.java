package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.Twinbell;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The project on the page about programs without a node, built from an empty folder and run beside a node. */
@Timeout(600)
@Tag("thorough")
class OnlyEnqueuePageTest {
    @TempDir
    private Path folder;

    @Test
    void the_node_runs_what_the_program_committed_and_nothing_else() throws Exception {
        PageProject project = new PageProject("ONLY-ENQUEUE.md", folder);
        PageProject.Build build = project.build("package");
        assertEquals(0, build.exitCode(), build::output);
        BlockingQueue<String> closed = new LinkedBlockingQueue<>();
        try (EmbeddedPostgres database = EmbeddedPostgres.start();
                TestingServer zooKeeper = new TestingServer();
                Twinbell node = Twinbell.builder()
                        .set("node.id", "a")
                        .set("http.enabled", "false")
                        .set("jmx.enabled", "false")
                        .set("database.url", database.getJdbcUrl("postgres", "postgres"))
                        .set("database.user", "postgres")
                        .set("database.password", "postgres")
                        .set("zookeeper.connect", zooKeeper.getConnectString())
                        .handler("invoice.close", context -> {
                            closed.add(context.name() + " " + context.data());
                            return null;
                        })
                        .start()) {
            assertTrue(node.awaitJoined(Duration.ofMinutes(1)));
            assertEquals(1, checkout(database, "-1"));
            assertEquals(0, checkout(database, "4711"));
            String first = closed.poll(60, TimeUnit.SECONDS);
            assertTrue(first != null && first.startsWith("order-4711 ") && first.contains("4711"), first);
            assertTrue(node.tasks().find("shop", "order--1").isEmpty());
        }
    }

    private int checkout(EmbeddedPostgres database, String number) throws Exception {
        ProcessBuilder program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        "target/classes" + File.pathSeparator + "target/dependency/*",
                        "shop.Checkout",
                        number,
                        "PT1S")
                .directory(folder.toFile())
                .inheritIO();
        program.environment().put("DATABASE_URL", database.getJdbcUrl("postgres", "postgres"));
        program.environment().put("DATABASE_USER", "postgres");
        program.environment().put("DATABASE_PASSWORD", "postgres");
        return program.start().waitFor();
    }
}
