package io.twinbell;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.handler.TaskHandler;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class ScheduledCodeTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final String zooKeeper = TestZooKeeper.freshFolder();
    private final TestTasks ledger = new TestTasks(database);
    private final BlockingQueue<String> runs = new LinkedBlockingQueue<>();

    @Test
    void code_in_one_line_runs_until_it_is_cancelled() throws Exception {
        try (Twinbell node = start("a")) {
            ScheduledCode poll = node.every(Duration.ofMillis(100), "poll", says("first"));
            assertEquals("first", runs.poll(30, TimeUnit.SECONDS));
            assertEquals("shop/poll", poll.app() + "/" + poll.name());
            assertThrows(IllegalStateException.class, () -> node.cron("@daily", "poll", says("twice")));

            assertTrue(poll.cancel());
            assertFalse(poll.cancel());
            assertTrue(poll.find().isEmpty());
            ScheduledCode again = node.cron("* * * * * *", "poll", says("second"));
            await().until(() -> "second".equals(runs.poll()));
            assertFalse(poll.cancel(), "the handle of a cancelled task must not remove its successor");
            assertEquals("ACTIVE", again.find().orElseThrow().state());
        }
    }

    @Test
    void a_restart_changes_nothing_and_a_changed_interval_replaces_the_definition() throws Exception {
        TaskEntry before;
        try (Twinbell node = start("a")) {
            before = node.every(Duration.ofHours(1), "poll", says("old")).find().orElseThrow();
            node.tasks().patch("shop", "poll", "{\"enabled\":false}");
        }
        try (Twinbell node = start("a")) {
            TaskEntry same =
                    node.every(Duration.ofHours(1), "poll", says("old")).find().orElseThrow();
            assertEquals(before.id(), same.id());
            assertEquals("PAUSED", same.state(), "an operator has paused it");
            node.tasks().patch("shop", "poll", "{\"enabled\":true}");
        }
        try (Twinbell node = start("a")) {
            TaskEntry changed =
                    node.every(Duration.ofHours(2), "poll", says("new")).find().orElseThrow();
            assertEquals(before.id(), changed.id());
            assertTrue(changed.json().contains("\"every\":\"PT2H\""), changed.json());
            assertEquals(start(before), start(changed), "the interval counts from the task's start");
        }
    }

    @Test
    void a_slot_that_is_due_before_its_code_is_registered_waits_for_it() throws Exception {
        try (Twinbell node = start("a")) {
            assertTrue(node.awaitJoined(Duration.ofMinutes(1)));
            node.tasks().put("shop", "late", """
                    {"schedule": {"every": "PT0.5S"}, "handler": {"type": "java", "key": "code:shop/late"}}""");
            String first = "select state from twinbell.execution order by fire_time limit 1";
            await().until(() -> ledger.query(first).equals(List.of("PENDING")));

            node.every(Duration.ofMillis(500), "late", says("late"));
            await().until(() -> ledger.query(first).equals(List.of("SUCCEEDED")));
            assertEquals("late", runs.poll());
        }
    }

    @Test
    void two_nodes_schedule_one_task_and_the_survivor_runs_it() throws Exception {
        try (Twinbell b = startBoth()) {
            await().until(() -> "b".equals(runs.poll()));
            assertEquals(List.of("1"), ledger.query("select count(*) from twinbell.task"));
            assertEquals("MASTER", b.role());
        }
    }

    private Twinbell startBoth() {
        try (Twinbell a = start("a")) {
            a.every(Duration.ofMillis(100), "poll", says("a"));
            Twinbell b = start("b");
            b.every(Duration.ofMillis(100), "poll", says("b"));
            assertEquals(
                    List.of("1"),
                    ledger.query("select count(distinct keys) from twinbell.node_handlers"),
                    "each node tells the other which code it has");
            return b;
        }
    }

    @Test
    void a_schedule_that_makes_no_sense_is_refused_and_leaves_nothing_behind() {
        try (Twinbell node = start("a")) {
            IllegalArgumentException refusal = assertThrows(
                    IllegalArgumentException.class, () -> node.every(Duration.ofNanos(1), "poll", says("never")));
            assertTrue(refusal.getMessage().contains("/schedule/every"), refusal.getMessage());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> node.schedule("poll", "{\"schedule\":{\"in\":\"PT1H\"},\"handler\":{}}", says("never")));
            assertEquals(
                    List.of("0"),
                    ledger.query("select count(*) from twinbell.node_handlers where 'code:shop/poll' = any (keys)"));
            node.every(Duration.ofHours(1), "poll", says("now"));
        }
    }

    private static String start(TaskEntry task) {
        return task.json().replaceAll(".*\"start\":\"([^\"]+)\".*", "$1");
    }

    private TaskHandler says(String word) {
        return context -> runs.add(word);
    }

    private Twinbell start(String id) {
        return TestNodes.builder(id, database, zooKeeper).app("shop").start();
    }
}
