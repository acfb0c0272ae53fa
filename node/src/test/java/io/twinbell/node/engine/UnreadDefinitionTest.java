package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Definitions that an edit has changed without a notification, or that cannot be read. */
class UnreadDefinitionTest extends FiringFixture {
    @Test
    void a_standby_reads_the_definitions_that_it_would_fire_first() {
        long fire = gridTime();
        bench.task("t", StoredTasks.EVERY_SECOND, fire);
        bench.claimer.warmUp();
        bench.tasks.execute(
                "update twinbell.full_task set definition = '{\"of another version\": 1}', updated_at = clock_timestamp()");
        bench.nowMillis = fire;
        bench.beginAndFire();
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger(), "it was known, and not read again");
    }

    @Test
    void a_definition_that_an_edit_outdated_is_read_again() {
        long fire = gridTime();
        long task = bench.task("t", StoredTasks.EVERY_SECOND, fire);
        bench.claimer.warmUp();
        bench.tasks.execute(
                "update twinbell.full_task set definition = '" + StoredTasks.json(StoredTasks.EVERY_MINUTE) + "'");
        bench.tasks.execute("update twinbell.task_state set version = version + 1");
        bench.nowMillis = fire;
        bench.beginAndFire();
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger());
        assertEquals(0, bench.nextOf(task) % 60_000, "by the new schedule");
    }

    @Test
    void an_edit_between_read_and_claim_applies() {
        long fire = gridTime();
        long task = bench.task("t", StoredTasks.EVERY_SECOND, fire);
        bench.nowMillis = fire;
        bench.beginAndFire();
        // The engine gets no notification of this edit: only the claim notices it.
        bench.tasks.execute("update twinbell.task_state set version = 2, next_fire_time = twinbell.instant("
                + (fire + 5000) + "); update twinbell.full_task set definition = '"
                + StoredTasks.json(StoredTasks.EVERY_MINUTE) + "'");
        bench.nowMillis = fire + 1000;
        bench.fireAll();
        assertEquals(1, bench.ran.size(), "the slot that the edit took away");
        bench.nowMillis = fire + 5000;
        bench.fireAll();
        assertEquals(List.of("t 0 1", "t 0 1"), bench.ran);
        assertEquals(0, bench.nextOf(task) % 60_000, "by the new schedule");
    }

    @Test
    void an_edit_that_keeps_the_fire_time_applies_too() {
        long fire = gridTime();
        long task = bench.task("t", StoredTasks.EVERY_SECOND, fire);
        bench.nowMillis = fire;
        bench.beginAndFire();
        bench.tasks.execute("update twinbell.task_state set version = 2; update twinbell.full_task set definition = '"
                + StoredTasks.json(StoredTasks.EVERY_MINUTE) + "'");
        bench.nowMillis = fire + 1000;
        bench.fireAll();
        assertEquals(List.of("t 0 1", "t 0 1"), bench.ran);
        assertEquals(0, bench.nextOf(task) % 60_000, "by the new schedule, not a second later");
    }

    @Test
    void a_definition_written_by_hand_applies_from_the_next_slot() {
        long fire = gridTime();
        long bad = bench.task("bad", StoredTasks.EVERY_SECOND, fire);
        bench.task("good", StoredTasks.EVERY_SECOND, fire);
        bench.nowMillis = fire;
        bench.beginAndFire();
        bench.tasks.execute("update twinbell.full_task set definition = '{\"schedule\": 5}' where id = " + bad);
        bench.nowMillis = fire + 1000;
        bench.fireAll();
        assertEquals(
                List.of("bad 0 1", "good 0 1", "good 0 1"),
                bench.ran.stream().sorted().toList());
        bench.tasks.assertRows("select state from twinbell.task_state where task_id = " + bad, "ERROR");
    }

    @Test
    void a_task_paused_or_removed_without_a_notification_does_not_fire() {
        long fire = gridTime();
        bench.task("paused", StoredTasks.EVERY_SECOND, fire);
        bench.task("removed", StoredTasks.EVERY_SECOND, fire);
        bench.nowMillis = fire;
        bench.begin();
        bench.tasks.execute("update twinbell.task_state s set state = 'PAUSED', version = 2 from twinbell.task t"
                + " where t.id = s.task_id and name = 'paused'; delete from twinbell.task where name = 'removed'");
        bench.fireAll();
        assertEquals(List.of(), bench.ran);
        assertEquals(0, bench.trigger.heapSize());
    }

    @Test
    void a_task_with_an_unreadable_definition_becomes_ERROR_and_other_tasks_fire() {
        long bad = bench.tasks.insert("bad", "{\"schedule\":{\"cron\":\"never\"}}", bench.nowMillis);
        bench.task("good", StoredTasks.EVERY_MINUTE, bench.nowMillis);
        bench.beginAndFire();
        assertEquals(List.of("good 0 1"), bench.ran);
        bench.tasks.assertRows(
                "select state, length(state_reason) > 10 from twinbell.task_state where task_id = " + bad, "ERROR|t");
        assertEquals(1, bench.trigger.heapSize());
    }

    @Test
    void a_task_with_an_unreadable_definition_and_a_locked_row_delays_no_other_task() throws Exception {
        long bad = bench.tasks.insert("bad", "{\"schedule\":{\"cron\":\"never\"}}", bench.nowMillis);
        bench.task("good", StoredTasks.EVERY_MINUTE, bench.nowMillis);
        bench.begin();
        try (Connection application = DATABASE.getConnection()) {
            application.setAutoCommit(false);
            application
                    .createStatement()
                    .execute("select * from twinbell.task_state where task_id = " + bad + " for update");
            bench.fireAll();
            assertEquals(List.of("good 0 1"), bench.ran);
            application.rollback();
        }
        assertEquals("ACTIVE", stateOf(bad));
        bench.nowMillis += 1000;
        bench.fireAll();
        assertEquals("ERROR", stateOf(bad));
    }

    @Test
    void a_definition_repaired_without_a_notification_is_read_before_its_task_becomes_ERROR() {
        long bad = bench.tasks.insert("bad", "{\"schedule\":{\"cron\":\"never\"}}", bench.nowMillis);
        bench.begin();
        bench.table.definitions(new long[] {bad}, 1);
        bench.tasks.execute("update twinbell.task_state set version = 2");
        bench.tasks.execute("update twinbell.full_task set updated_at = clock_timestamp(), definition = '"
                + StoredTasks.json(StoredTasks.EVERY_MINUTE) + "'");
        bench.fireAll();
        bench.nowMillis += 1000;
        bench.fireAll();
        assertEquals("ACTIVE", stateOf(bad));
        assertEquals(List.of("bad -1000 1"), bench.ran);
    }

    private String stateOf(long task) {
        return bench.tasks
                .query("select state from twinbell.task_state where task_id = " + task)
                .get(0);
    }
}
