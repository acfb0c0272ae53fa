package io.twinbell.persistence.ledger;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.execution.store.UnfinishedExecutions;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.JdbcLedger;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.ledger.record.JdbcRecorder;
import io.twinbell.persistence.ledger.record.Recorder;
import io.twinbell.persistence.ledger.recovery.JdbcRecoveryStore;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Masters that resigned one after another, each while its predecessor was still finishing its runs. */
class DrainsTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final DatabaseSettings settings = TestSettings.of(database, "a");

    @AutoClose
    private final DedicatedConnection connection = DedicatedConnection.byKey(settings, "test", 5);

    private final EpochRegister register = new JdbcEpochRegister(settings, connection);
    private final Ledger ledger = new JdbcLedger(connection, PackedSlots.none());
    private final Recorder recorder = new JdbcRecorder(connection, PackedSlots.none());
    private final RecoveryStore recovery = new JdbcRecoveryStore(connection, new HandTicker());
    private final UnfinishedExecutions unfinished = new UnfinishedExecutions(connection);
    private final long now = tasks.number("select twinbell.now_millis()");
    private final long first = tasks.insert("first", "{}", now);
    private final long second = tasks.insert("second", "{}", now);
    private final Epoch one = opened(0, first);
    private final Epoch two = resignedAndFollowed(one, second);

    private Epoch opened(long expected, long task) {
        Epoch epoch = TestSettings.openEpoch(register, settings, expected);
        ledger.claim(
                epoch,
                1,
                List.of(new DecidedSlot(
                        task, 1, now, DecidedSlot.NONE, false, DecidedSlot.UNLIMITED, LedgerEntry.claimed(now))));
        return epoch;
    }

    private Epoch resignedAndFollowed(Epoch epoch, long task) {
        assertTrue(register.resign(epoch, LONG));
        return opened(epoch.number(), task);
    }

    @Test
    void each_records_what_it_finishes_and_nobody_settles_it() {
        Epoch three = resignedAndFollowed(two, tasks.insert("third", "{}", now));
        assertEquals(Set.of(first, second), recovery.tasksThatDrain());
        assertEquals(Set.of(1L, 2L), unfinished.readPage(10).drainingEpochs());
        assertEquals(List.of(), recovery.orphans(three, 10));
        assertTrue(isRecorded(one, first));
        assertTrue(isRecorded(two, second));
    }

    @Test
    void each_ends_when_it_says_so_and_the_others_go_on() {
        Epoch three = resignedAndFollowed(two, tasks.insert("third", "{}", now));
        register.drained(one);
        assertEquals(List.of(first), orphans(three));
        assertFalse(isRecorded(one, first));
        assertEquals(Set.of(second), recovery.tasksThatDrain());

        Epoch four = resignedAndFollowed(three, tasks.insert("fourth", "{}", now));
        register.drained(three);
        assertEquals(Set.of(2L), unfinished.readPage(10).drainingEpochs());
        register.drained(two);
        assertEquals(3, orphans(four).size());
    }

    @Test
    void one_ends_with_its_time_and_not_with_that_of_a_later_one() {
        assertTrue(register.resign(two, Duration.ZERO));
        Epoch three = opened(two.number(), tasks.insert("third", "{}", now));
        assertEquals(List.of(second), orphans(three));
        assertFalse(isRecorded(two, second));
        assertTrue(isRecorded(one, first));
    }

    @Test
    void a_word_that_is_said_again_ends_no_drain() {
        assertTrue(register.resign(two, LONG));
        assertTrue(register.resign(two, LONG), "the first answer was lost");
        tasks.assertRows("select jsonb_array_length(earlier_drains) from twinbell.epoch", "1");
        assertTrue(isRecorded(one, first));
    }

    @Test
    void the_token_of_another_node_does_not_allow_a_drain() {
        Epoch three = resignedAndFollowed(two, tasks.insert("third", "{}", now));
        Epoch forged = new Epoch(one.number(), two.token(), "a", one.openedAtMillis());
        assertFalse(isRecorded(forged, first));
        register.drained(forged);
        assertEquals(List.of(), orphans(three));
    }

    /**
     * A statement sees all other rows as they were when it began, so everything that it is judged by must be in the
     * epoch row.
     */
    @Test
    void an_outcome_that_has_waited_for_two_changes_of_the_master_is_taken() throws Exception {
        try (DedicatedConnection others = new DedicatedConnection(settings, "others", 5);
                Connection holder = database.getConnection();
                var statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("select 1 from twinbell.epoch for update");
            CompletableFuture<List<Completion>> refused = CompletableFuture.supplyAsync(
                    () -> new JdbcRecorder(others, PackedSlots.none()).record(two, List.of(success(two, second))));
            await().until(() -> tasks.number("select count(*) from pg_stat_activity"
                            + " where datname = current_database() and wait_event_type = 'Lock'")
                    == 1);
            for (int times = 0; times < 2; times++) {
                statement.execute("update twinbell.epoch e set draining_epoch = epoch, draining_token = owner_token,"
                        + " draining_until = clock_timestamp() + interval '1 minute', earlier_drains ="
                        + " (select jsonb_agg(d) from twinbell.drains(e) d)");
                statement.execute("update twinbell.epoch set epoch = epoch + 1, owner_token = gen_random_uuid()");
            }
            holder.commit();
            assertEquals(List.of(), refused.get(20, TimeUnit.SECONDS));
        }
    }

    private List<Long> orphans(Epoch epoch) {
        return recovery.orphans(epoch, 10).stream()
                .map(orphan -> orphan.slot().taskId())
                .toList();
    }

    private boolean isRecorded(Epoch epoch, long task) {
        return recorder.record(epoch, List.of(success(epoch, task))).isEmpty();
    }

    private Completion success(Epoch epoch, long task) {
        return new Completion(
                epoch,
                new Slot(task, now),
                1,
                ExecutionState.SUCCEEDED,
                new Completion.RunTimes(now * 1000, now * 1000),
                Completion.Text.NONE,
                Completion.NOT_FOLLOWED);
    }
}
