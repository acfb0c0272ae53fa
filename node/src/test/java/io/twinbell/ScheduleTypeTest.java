package io.twinbell;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.schedule.custom.EveryFewSeconds;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.verify.VerificationResult;
import io.twinbell.tools.verify.Verifier;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Tasks with a custom schedule, on nodes that have the type, lack it, or have one that fails. */
class ScheduleTypeTest {
    private static final String EVERY_SECOND = """
            {"schedule": {"type": "few", "params": {"seconds": 1}, "zone": "Europe/Berlin"},
             "misfire": {"policy": "FIRE_ONCE", "threshold": "PT0.1S"},
             "handler": {"type": "java", "key": "twinbell.noop"}}""";

    private static final String OTHER = """
            {"schedule": {"every": "PT1S"}, "handler": {"type": "java", "key": "twinbell.noop"}}""";

    private static final String SUCCEEDED = "select count(*) > 1 from twinbell.execution where state = 'SUCCEEDED'";

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final String zooKeeper = TestZooKeeper.freshFolder();
    private final TestTasks ledger = new TestTasks(database);
    private final EveryFewSeconds type = new EveryFewSeconds("few");

    @Test
    void slots_wait_on_a_master_without_the_type_and_none_is_lost() throws Exception {
        try (Twinbell node = builder("a").scheduleType(type).start()) {
            assertTrue(node.awaitJoined(Duration.ofMinutes(1)));
            node.tasks().put("shop", "tide", EVERY_SECOND);
            await().until(() -> ledger.query(SUCCEEDED).equals(List.of("t")));
        }
        try (Twinbell node = afterMasterWithoutTheType()) {
            await().until(() -> ledger.query("select count(*) > 0 from twinbell.execution where state = 'MISSED'")
                    .equals(List.of("t")));
            node.tasks().patch("shop", "tide", "{\"enabled\":false}");
        }
        assertEquals(
                List.of("t"),
                ledger.query("select sum(slots) = 1 + extract(epoch from max(coalesce(until_fire_time, fire_time))"
                        + " - min(fire_time)) from twinbell.execution"),
                "each second has its slot");
    }

    /** Returns the standby of a master without the type, which has handed over. */
    private Twinbell afterMasterWithoutTheType() throws Exception {
        try (Twinbell master = builder("b").start()) {
            assertTrue(master.awaitJoined(Duration.ofMinutes(1)));
            await().until(() -> master.role().equals("MASTER"));
            String before = master.tasks().find("shop", "tide").orElseThrow().json();
            assertTrue(why(master).contains("WAITS_FOR_SCHEDULE_TYPE"), why(master));
            assertThrows(IllegalArgumentException.class, () -> move(master));
            assertThrows(IllegalArgumentException.class, () -> master.tasks().put("shop", "new", EVERY_SECOND));
            Twinbell standby = builder("a").scheduleType(type).start();
            await().until(() -> get(master, "/api/v1/cluster").contains("node b has no schedule type"));
            // Several slots must be overdue, however quickly the nodes have started.
            await().until(() -> ledger.query(
                            "select clock_timestamp() > next_fire_time + interval '2 seconds' from twinbell.task_state")
                    .equals(List.of("t")));
            assertEquals(
                    before, master.tasks().find("shop", "tide").orElseThrow().json(), "ACTIVE, and not claimed");
            for (Twinbell asked : List.of(master, standby)) {
                VerificationResult verified = verify(asked);
                assertEquals(List.of(), verified.violations());
                assertTrue(
                        verified.unverified().toString().contains("schedule type \"few\""),
                        verified.unverified()::toString);
            }
            return standby;
        }
    }

    private static void move(Twinbell node) {
        node.tasks().patch("shop", "tide", "{\"nextFireTime\":\"2030-01-01T00:00:00.000Z\"}");
    }

    @Test
    void a_type_that_fails_delays_its_own_tasks_only() throws Exception {
        try (Twinbell node = builder("a").scheduleType(type).start()) {
            assertTrue(node.awaitJoined(Duration.ofMinutes(1)));
            node.tasks().put("shop", "tide", EVERY_SECOND);
            node.tasks().put("shop", "other", OTHER);
            await().until(() -> ledger.query(SUCCEEDED).equals(List.of("t")));
        }
        type.spoil = time -> {
            if (time.getYear() > 2000) {
                throw new IllegalStateException("no moon");
            }
            return time;
        };
        try (Twinbell node = builder("a").scheduleType(type).start()) {
            assertTrue(node.awaitJoined(Duration.ofMinutes(1)));
            String others = "select count(*) from twinbell.execution where name = 'other' and state = 'SUCCEEDED'";
            int before = Integer.parseInt(ledger.query(others).get(0));
            await().until(() -> Integer.parseInt(ledger.query(others).get(0)) > before + 2);
            assertEquals(
                    "ACTIVE", node.tasks().find("shop", "tide").orElseThrow().state());
            assertTrue(why(node).contains("next threw java.lang.IllegalStateException: no moon"), why(node));
            type.spoil = time -> time;
            String missed = "select count(*) > 0 from twinbell.execution where name = 'tide' and state = 'MISSED'";
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> ledger.query(missed).equals(List.of("t")));
        }
    }

    @Test
    void sql_refuses_a_type_that_no_node_has() throws Exception {
        String add = "select twinbell.add_task('shop', 'n', '{\"type\":\"%s\",\"params\":{\"seconds\":1}}',"
                + " '{\"type\":\"java\",\"key\":\"twinbell.noop\"}') > 0";
        try (Twinbell node = builder("a").scheduleType(type).start()) {
            assertTrue(node.awaitJoined(Duration.ofMinutes(1)));
            assertEquals(List.of("t"), ledger.query(add.formatted("few")));
            await().until(() -> ledger.query(SUCCEEDED).equals(List.of("t")));
            assertThrows(RuntimeException.class, () -> ledger.query(add.formatted("tide")));
        }
    }

    /** A grace of no time: the waiting slots are old at once. */
    private static VerificationResult verify(Twinbell node) throws Exception {
        return new Verifier(
                        new NodeClient(URI.create(node.url()), Duration.ofSeconds(20)),
                        new Verifier.Scope("shop", Duration.ofHours(1), Duration.ZERO, 50),
                        new Verifier.ProgressListener() {
                            @Override
                            public void at(long tasksDone, String task, double part) {}

                            @Override
                            public void sleep(Duration time) {}
                        })
                .verify();
    }

    private static String why(Twinbell node) throws Exception {
        return get(node, "/api/v1/apps/shop/tasks/tide/why?at=" + Instant.now().plusSeconds(5));
    }

    private static String get(Twinbell node, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(node.url() + path)).build(), BodyHandlers.ofString())
                .body();
    }

    private Twinbell.Builder builder(String id) {
        return TestNodes.builder(id, database, zooKeeper);
    }
}
