package io.twinbell.node.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.worker.OutcomeRecorderTest;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.loop.Loops;
import io.twinbell.node.upkeep.store.LedgerUpkeep;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.testing.HandTicker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class HousekeeperTest {
    private static final long DAY = Duration.ofDays(1).toMillis();
    private static final long NOON = 20_000 * DAY + DAY / 2;

    private final List<String> done = new ArrayList<>();
    private final Deque<LedgerUpkeep.DeletedRows> answers = new ArrayDeque<>();
    private final HandTicker ticker = new HandTicker();
    private final Loops loops = new Loops(ticker, loop -> {});
    private long nowMillis = NOON;
    private Epoch epoch = new Epoch(1, UUID.randomUUID(), "a", 0);
    private boolean isLocked;
    private int finished;
    private int looksForFinished;
    private final Deque<OptionalLong> examined = new ArrayDeque<>();
    private int definitionDays;
    private final List<Long> examinedAfter = new ArrayList<>();

    private Housekeeper keeper(Duration days, Map<LedgerUpkeep.RetentionClass, Duration> outcomes) {
        return new Housekeeper(
                new KeptUpkeep(),
                new Housekeeper.RetentionTimes(days, outcomes, Duration.ofDays(7)),
                () -> nowMillis,
                ticker,
                () -> epoch,
                loops);
    }

    private void steps(Housekeeper keeper, int steps) {
        for (int i = 0; i < steps; i++) {
            ticker.pass(Duration.ofNanos(keeper.step()));
        }
    }

    @Test
    void a_standby_keeps_its_hands_off() {
        epoch = null;
        steps(keeper(Duration.ofDays(30), Map.of()), 5);
        assertEquals(List.of(), done);
    }

    @Test
    void partitions_first_then_old_days_once_a_day_and_anew_for_every_epoch() {
        Housekeeper keeper = keeper(Duration.ofHours(36), Map.of());
        steps(keeper, 20);
        assertEquals(List.of("partitions", "drop 2", "besides 2"), done, "a started day is kept whole");
        nowMillis += DAY;
        steps(keeper, 20);
        assertEquals(6, done.size());
        epoch = new Epoch(2, UUID.randomUUID(), "a", 0);
        steps(keeper, 20);
        assertEquals(9, done.size());
    }

    @Test
    void a_duty_that_waits_for_a_lock_stops_no_other_duty_and_is_seen_from_outside() {
        Housekeeper keeper =
                keeper(Duration.ofDays(30), Map.of(LedgerUpkeep.RetentionClass.SUCCEEDED, Duration.ofDays(1)));
        isLocked = true;
        finished = 5;
        steps(keeper, 6);
        assertEquals(List.of("drop 30", "besides 30", "SUCCEEDED before " + (nowMillis - DAY) + " after null"), done);
        assertEquals(0, finished);
        assertEquals(
                List.of("ledger-partitions"),
                loops.states().stream()
                        .filter(loop -> loop.stalledNanos() > 0)
                        .map(Loop.State::name)
                        .toList());
    }

    @Test
    void a_duty_that_failed_is_retried_after_ten_seconds() {
        Housekeeper keeper = keeper(Duration.ofDays(30), Map.of());
        isLocked = true;
        steps(keeper, 5);
        isLocked = false;
        steps(keeper, 1);
        assertFalse(done.contains("partitions"));
        ticker.pass(Duration.ofSeconds(10));
        steps(keeper, 1);
        assertTrue(done.contains("partitions"));
        assertEquals(0, loops.loop("ledger-partitions").state().stalledNanos());
    }

    @Test
    void an_outcome_is_deleted_batch_after_batch_and_then_once_a_minute_from_where_it_was() {
        Housekeeper keeper = keeper(
                Duration.ofDays(30),
                Map.of(
                        LedgerUpkeep.RetentionClass.SUCCEEDED,
                        Duration.ofDays(1),
                        LedgerUpkeep.RetentionClass.FAILED,
                        Duration.ofDays(30)));
        answers.add(new LedgerUpkeep.DeletedRows(900, new Slot(7, 5)));
        answers.add(new LedgerUpkeep.DeletedRows(10, null));
        steps(keeper, 5);
        done.clear();
        answers.add(new LedgerUpkeep.DeletedRows(0, null));
        long before = nowMillis - DAY;
        steps(keeper, 3);
        assertEquals(List.of(), done, "the round is over");
        ticker.pass(Duration.ofMinutes(1));
        steps(keeper, 2);
        assertEquals(List.of("SUCCEEDED before " + before + " after " + new Slot(7, 5)), done);
    }

    @Test
    void finished_tasks_are_removed_batch_after_batch_and_looked_for_once_a_minute() {
        Housekeeper keeper = keeper(Duration.ofDays(30), Map.of());
        finished = 2 * Housekeeper.TASKS + 7;
        steps(keeper, 20);
        assertEquals(0, finished);
        assertEquals(3, looksForFinished);
        ticker.pass(Duration.ofMinutes(1));
        steps(keeper, 5);
        assertEquals(4, looksForFinished);
    }

    @Test
    void definitions_are_examined_once_a_day_and_again_a_minute_after_giving_way() {
        Housekeeper keeper = keeper(Duration.ofDays(30), Map.of());
        examined.addAll(List.of(OptionalLong.of(1000), OptionalLong.of(1000), OptionalLong.of(1700)));
        steps(keeper, 20);
        assertEquals(List.of(0L, 1000L), examinedAfter);
        assertEquals(30, definitionDays);
        ticker.pass(Duration.ofMinutes(1));
        steps(keeper, 20);
        assertEquals(List.of(0L, 1000L, 1000L, 1700L), examinedAfter);
        ticker.pass(Duration.ofMinutes(1));
        steps(keeper, 20);
        assertEquals(4, examinedAfter.size());
        nowMillis += DAY;
        steps(keeper, 20);
        assertEquals(0L, examinedAfter.get(4));
    }

    private final class KeptUpkeep implements LedgerUpkeep {
        @Override
        public OptionalLong removeDefinitions(Epoch of, int keepDays, long afterId, int limit) {
            definitionDays = keepDays;
            examinedAfter.add(afterId);
            return examined.isEmpty() ? OptionalLong.empty() : examined.poll();
        }

        @Override
        public int removeFinished(Epoch by, long olderThanMillis, int limit) {
            assertEquals(7 * DAY, olderThanMillis);
            looksForFinished++;
            int removed = Math.min(finished, limit);
            finished -= removed;
            return removed;
        }

        @Override
        public void makePartitions(Epoch of) {
            if (isLocked) {
                throw OutcomeRecorderTest.outage();
            }
            done.add("partitions");
        }

        @Override
        public List<String> dropDays(Epoch of, int keepDays) {
            done.add("drop " + keepDays);
            return List.of("execution_20200203");
        }

        @Override
        public boolean deleteScattered(Epoch of, int keepDays, int limit) {
            done.add("besides " + keepDays);
            return false;
        }

        @Override
        public DeletedRows delete(
                Epoch of, LedgerUpkeep.RetentionClass retentionClass, long beforeMillis, Slot after, int limit) {
            done.add(retentionClass + " before " + beforeMillis + " after " + after);
            return answers.isEmpty() ? new DeletedRows(0, null) : answers.poll();
        }
    }
}
