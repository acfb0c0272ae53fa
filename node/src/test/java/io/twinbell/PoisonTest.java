package io.twinbell;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Handlers that take their whole process down: the other node takes over, and does not follow. */
@Timeout(300)
class PoisonTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** A node in a process of its own, with the handlers that kill it. */
    static final class PoisonedNode {
        private PoisonedNode() {}

        public static void main(String[] sets) {
            Twinbell.Builder builder = Twinbell.builder()
                    .handler("exit", context -> {
                        System.exit(3);
                        return null;
                    })
                    .handler("memory", context -> {
                        List<byte[]> kept = new ArrayList<>();
                        while (kept.size() < Integer.MAX_VALUE) {
                            kept.add(new byte[1024 * 1024]);
                        }
                        return kept;
                    });
            for (String set : sets) {
                String[] parts = set.split("=", 2);
                builder.set(parts[0], parts[1]);
            }
            builder.start();
        }
    }

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final String zooKeeper = TestZooKeeper.freshFolder();
    private final TestTasks tasks = new TestTasks(database);

    @Test
    void a_handler_that_ends_its_process_is_dropped_by_the_other_node_which_goes_on() throws Exception {
        isDroppedByTheOtherNode("exit");
    }

    @Tag("thorough")
    @Test
    void a_handler_that_uses_up_the_memory_is_dropped_by_the_other_node_which_goes_on() throws Exception {
        isDroppedByTheOtherNode("memory");
    }

    private void isDroppedByTheOtherNode(String key) throws Exception {
        Process poisoned = start(settings("a"));
        try {
            await().atMost(PATIENCE)
                    .until(() -> tasks.query("select node from twinbell.epoch").equals(List.of("a")));
            insert("poison", key);
            assertNotEquals(0, poisoned.waitFor());
        } finally {
            poisoned.destroyForcibly();
        }
        Twinbell.Builder other = Twinbell.builder().handler("fine", context -> "fine");
        settings("b").forEach(set -> other.set(set.split("=", 2)[0], set.split("=", 2)[1]));
        try (Twinbell b = other.start()) {
            await().atMost(PATIENCE).until(() -> b.role().equals("MASTER"));
            insert("next", "fine");
            await().atMost(PATIENCE)
                    .until(() -> tasks.query("select name || ' ' || state from twinbell.execution order by name")
                            .equals(List.of("next SUCCEEDED", "poison DROPPED")));
            assertEquals("MASTER", b.role());
        }
    }

    private static Process start(List<String> settings) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                PoisonedNode.class.getName()));
        command.addAll(settings);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(new File("target", "poisoned.log"))
                .start();
    }

    private List<String> settings(String id) {
        return List.of(
                "node.id=" + id,
                "http.port=0",
                "jmx.port=0",
                "database.url=" + database.getUrl(),
                "database.user=" + database.getUser(),
                "database.password=" + database.getPassword(),
                "zookeeper.connect=" + zooKeeper,
                "zookeeper.sessionTimeout=PT2S");
    }

    private void insert(String name, String key) {
        long now = tasks.number("select twinbell.now_millis()");
        long id = tasks.insert(
                name,
                "{\"schedule\":{\"at\":\"2026-01-05T00:00:00.000Z\"},\"start\":\"2026-01-05T00:00:00.000Z\","
                        + "\"handler\":{\"type\":\"java\",\"key\":\"" + key + "\"}}",
                now + 100);
        tasks.query("select pg_notify('twinbell_task', '" + id + "')");
    }
}
