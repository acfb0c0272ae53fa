package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.twinbell.ha.role.Predecessor;
import io.twinbell.node.engine.settle.Settler;
import io.twinbell.node.engine.step.TrustWindow;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** How claims that no process holds are settled: by the orphan policy, and not before the old master is surely over. */
class OrphanTest extends FiringFixture {
    @Test
    void rows_of_this_epoch_that_nobody_holds_are_settled_once_they_are_old_enough() {
        Epoch epoch = bench.openEpoch();
        long drop = bench.task("drop", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        long rerun = bench.task("rerun", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000, RERUN);
        claimedRow(drop, "drop", epoch.number(), 1);
        claimedRow(rerun, "rerun", epoch.number(), 1);
        bench.settler.step(epoch);
        assertEquals(List.of("drop CLAIMED 1", "rerun CLAIMED 1"), bench.ledger());
        bench.tasks.execute("update twinbell.execution set claimed_at = claimed_at - interval '6 seconds'");
        bench.settler.step(epoch);
        bench.fireAll();
        assertEquals(List.of("drop DROPPED 1", "rerun SUCCEEDED 2"), bench.ledger());
    }

    @Test
    void while_firing_is_held_no_orphan_runs_again() {
        Epoch old = bench.openEpoch();
        long drop = bench.task("drop", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        long rerun = bench.task("rerun", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000, RERUN);
        claimedRow(drop, "drop", old.number(), 1);
        claimedRow(rerun, "rerun", old.number(), 1);
        Epoch next = bench.openEpoch();
        bench.pause(true);
        bench.settler.begin(Predecessor.over(old.number()));
        bench.settler.step(next);
        bench.fireAll();
        assertEquals(List.of("drop DROPPED 1", "rerun CLAIMED 1"), bench.ledger());
        assertEquals(List.of(), bench.ran);
        bench.pause(false);
        bench.settler.step(next);
        bench.fireAll();
        assertEquals(List.of("drop DROPPED 1", "rerun SUCCEEDED 2"), bench.ledger());
    }

    @Test
    void orphans_are_left_alone_until_the_old_masters_trust_is_surely_over() {
        Epoch old = bench.openEpoch();
        long drop = bench.task("drop", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        claimedRow(drop, "drop", old.number(), 1);
        Epoch next = bench.openEpoch();
        bench.settler.begin(Predecessor.unknown(old.number()));
        bench.ticker.pass(TrustWindow.WINDOW.minusMillis(1));
        bench.settler.step(next);
        assertEquals(List.of("drop CLAIMED 1"), bench.ledger());
        bench.ticker.pass(Duration.ofMillis(1));
        bench.settler.step(next);
        assertEquals(List.of("drop DROPPED 1"), bench.ledger());
    }

    @Test
    void orphans_of_a_process_proven_dead_are_settled_at_once_and_later_slots_simply_run() {
        Epoch old = bench.openEpoch();
        long begun = bench.task("begun", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000, RERUN);
        long dropped = bench.task("dropped", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        long ahead = bench.task("ahead", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        long death = bench.nowMillis - 1001;
        claimedRow(begun, "begun", old.number(), 1);
        claimedRow(dropped, "dropped", old.number(), 1);
        claimedRow(ahead, "ahead", old.number(), 1);
        bench.tasks.execute("update twinbell.execution set fire_time = twinbell.instant(" + death
                + ") where name in ('begun', 'dropped')");
        Epoch next = bench.begin();
        bench.settler.begin(Predecessor.deadSince(old.number(), death));
        bench.settler.step(next);
        bench.fireAll();
        assertEquals(List.of("begun SUCCEEDED 2", "dropped DROPPED 1", "ahead SUCCEEDED 1"), bench.ledger());
    }

    @Test
    void a_reclaimed_settlement_runs_though_its_answer_was_lost() {
        Epoch old = bench.openEpoch();
        long ahead = bench.task("ahead", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        long begun = bench.task("begun", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000, RERUN);
        long death = bench.nowMillis - 1001;
        claimedRow(ahead, "ahead", old.number(), 1);
        claimedRow(begun, "begun", old.number(), 1);
        bench.tasks.execute(
                "update twinbell.execution set fire_time = twinbell.instant(" + death + ") where name = 'begun'");
        Epoch next = bench.begin();
        bench.settler.begin(Predecessor.deadSince(old.number(), death));
        bench.losesSettlementAnswer = true;
        assertThrows(DatabaseUnavailableException.class, () -> bench.settler.step(next));
        bench.tasks.execute("update twinbell.execution set claimed_at = claimed_at - interval '6 seconds'");
        bench.settler.step(next);
        bench.fireAll();
        assertEquals(List.of("begun SUCCEEDED 2", "ahead SUCCEEDED 1"), bench.ledger());
        bench.settler.step(next);
        bench.fireAll();
        assertEquals(2, bench.ran.size(), bench.ran.toString());
    }

    @Test
    void a_settlement_that_succeeds_at_the_second_attempt_ends_the_doubt() {
        Epoch old = bench.openEpoch();
        long ahead = bench.task("ahead", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        claimedRow(ahead, "ahead", old.number(), 1);
        Epoch next = bench.begin();
        bench.settler.begin(Predecessor.deadSince(old.number(), bench.nowMillis - 1001));
        bench.losesSettlement = true;
        assertThrows(DatabaseUnavailableException.class, () -> bench.settler.step(next));
        bench.settler.step(next);
        bench.fireAll();
        assertEquals(List.of("ahead SUCCEEDED 1"), bench.ledger());
        bench.tasks.execute("update twinbell.execution set state = 'CLAIMED', ended_at = null,"
                + " claimed_at = claimed_at - interval '6 seconds'");
        bench.settler.step(next);
        bench.fireAll();
        assertEquals(List.of("ahead DROPPED 1"), bench.ledger(), "it had begun, and its outcome was lost");
        assertEquals(1, bench.ran.size(), bench.ran.toString());
    }

    @Test
    void the_end_of_the_last_master_does_not_settle_claims_of_the_one_before() {
        Epoch older = bench.openEpoch();
        Epoch old = bench.openEpoch();
        claimedRow(bench.task("older", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000), "older", older.number(), 1);
        claimedRow(bench.task("old", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000), "old", old.number(), 1);
        Epoch next = bench.openEpoch();
        bench.settler.begin(Predecessor.over(old.number()));
        bench.settler.step(next);
        assertEquals(
                List.of("old DROPPED 1", "older CLAIMED 1"),
                bench.ledger().stream().sorted().toList());
        bench.ticker.pass(TrustWindow.WINDOW);
        bench.settler.step(next);
        assertEquals(
                List.of("old DROPPED 1", "older DROPPED 1"),
                bench.ledger().stream().sorted().toList());
    }

    @Test
    void a_task_that_waits_for_a_run_which_is_not_there_is_set_going_again() {
        Epoch epoch = bench.openEpoch();
        bench.task("t", StoredTasks.DELAY_OF_A_MINUTE, bench.nowMillis);
        bench.tasks.execute("update twinbell.task_state set next_fire_time = null");
        bench.settler.step(epoch);
        assertEquals(
                1, bench.tasks.number("select count(*) from twinbell.task_state where next_fire_time is not null"));
    }

    @Test
    void a_run_that_this_process_holds_is_never_settled_however_old_its_claim() {
        bench.task("t", StoredTasks.EVERY_MINUTE, bench.nowMillis, RERUN);
        Epoch epoch = bench.begin();
        bench.onRun(context -> {
            bench.tasks.execute("update twinbell.execution set claimed_at = claimed_at - interval '1 hour'");
            bench.settler.step(epoch);
        });
        bench.fireAll();
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger());
    }

    @Test
    void orphans_of_an_older_epoch_are_dropped_or_run_again_as_their_task_says() {
        long old = bench.openEpoch().number();
        long drop = bench.task("drop", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        long rerun = bench.task("rerun", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000, RERUN);
        claimedRow(drop, "drop", old, 1);
        claimedRow(rerun, "rerun", old, 2);
        Epoch epoch = bench.begin();
        bench.settler.step(epoch);
        bench.fireAll();
        assertEquals(List.of("drop DROPPED 1", "rerun SUCCEEDED 3"), bench.ledger());
        assertEquals(List.of("rerun -1000 3"), bench.ran);
    }

    @Test
    void dropped_executions_are_one_warning_with_their_number_and_an_example() {
        long old = bench.openEpoch().number();
        for (String name : List.of("first", "second")) {
            claimedRow(bench.task(name, StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000), name, old, 1);
        }
        claimedRow(bench.task("rerun", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000, RERUN), "rerun", old, 1);
        Epoch epoch = bench.begin();
        assertEquals(
                List.of(
                        "2 executions are DROPPED, for example of test/first: attempt 1 was left without an outcome by a"
                                + " (epoch " + old
                                + "); dropped; the clients, the API and 'twinbell executions --state DROPPED' list them"),
                warnings(() -> bench.settler.step(epoch)));
        assertEquals(List.of(), warnings(() -> bench.settler.step(epoch)), "once");
        assertTrue(bench.ledger().contains("rerun CLAIMED 2"), bench.ledger().toString());
    }

    private static List<String> warnings(Runnable work) {
        Logger logger = (Logger) LoggerFactory.getLogger(Settler.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            work.run();
        } finally {
            logger.detachAppender(lines);
        }
        return lines.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void a_fixed_delay_goes_on_after_its_run_was_dropped() {
        long old = bench.openEpoch().number();
        long task = bench.task("t", StoredTasks.DELAY_OF_A_MINUTE, bench.nowMillis);
        claimedRow(task, "t", old, 1);
        bench.tasks.execute("update twinbell.task_state set next_fire_time = null");
        Epoch epoch = bench.begin();
        bench.nowMillis = epoch.openedAtMillis();
        bench.settler.step(epoch);
        assertEquals(bench.nowMillis + 60_000, bench.nextOf(task));
        bench.fireAll();
        bench.nowMillis += 60_000;
        bench.fireAll();
        assertEquals(List.of("t 0 1"), bench.ran);
    }

    private void claimedRow(long task, String name, long epoch, int attempt) {
        bench.tasks.execute("insert into twinbell.execution"
                + " (task_id, fire_time, app, name, state, attempt, epoch, node, claimed_at) values (" + task
                + ", twinbell.instant(" + (bench.nowMillis - 1000) + "), 'test', '" + name + "', 'CLAIMED', " + attempt
                + ", " + epoch + ", 'a', clock_timestamp())");
    }
}
