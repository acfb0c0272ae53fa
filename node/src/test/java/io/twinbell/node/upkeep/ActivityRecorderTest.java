package io.twinbell.node.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.cluster.store.ActivityMinutes;
import io.twinbell.node.cluster.store.ActivityMinutes.ActivityMinute;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.metrics.Buckets;
import io.twinbell.node.metrics.EngineTotals;
import io.twinbell.node.metrics.EngineTotals.Counts;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class ActivityRecorderTest {
    private static final long START = 1_790_000_040_000L;
    private static final long MINUTE = 60_000;
    private static final Counts NOTHING = new Counts(0, 0, 0, 0, 0);

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final ActivityMinutes minutes = new ActivityMinutes(database);
    private final HandTicker ticker = new HandTicker();
    private final Buckets.BucketTimer lateness = new Buckets.BucketTimer(ticker::nanos);
    private Counts done = NOTHING;
    private long nowMillis = START;
    private Epoch epoch;
    private final ActivityRecorder recorder = new ActivityRecorder(
            minutes,
            () -> new EngineTotals(done, lateness.counts()),
            "a",
            () -> nowMillis,
            ticker,
            () -> epoch,
            new Loop("test", new HandTicker()));

    private static Epoch epoch(long number) {
        return new Epoch(number, new UUID(0, number), "a", START);
    }

    private void passMillis(long millis) {
        nowMillis += millis;
        ticker.pass(Duration.ofMillis(millis));
    }

    private List<ActivityMinute> stored() {
        return minutes.between(0, START + 10 * MINUTE, 100);
    }

    private List<String> claims() {
        return stored().stream()
                .map(row -> (row.minuteMillis() - START) / MINUTE + " " + row.epoch() + " "
                        + row.counts().claimed())
                .toList();
    }

    @Test
    void a_minute_has_the_outcomes_and_the_lateness_of_its_runs() {
        epoch = epoch(7);
        lateness.update(900, TimeUnit.MILLISECONDS);
        done = new Counts(100, 90, 5, 3, 2);
        recorder.step();
        done = new Counts(104, 92, 6, 4, 5);
        for (int i = 0; i < 50; i++) {
            lateness.update(2, TimeUnit.MILLISECONDS);
            lateness.update(40, TimeUnit.MILLISECONDS);
        }
        passMillis(5_000);
        recorder.step();
        assertEquals(List.of(new ActivityMinute(START, 7, "a", new Counts(4, 2, 1, 1, 3), 2.0, 50.0)), stored());
    }

    @Test
    void each_minute_and_each_epoch_has_its_own_numbers() {
        epoch = epoch(7);
        recorder.step();
        done = new Counts(10, 0, 0, 0, 0);
        passMillis(MINUTE);
        recorder.step();
        done = new Counts(13, 0, 0, 0, 0);
        epoch = epoch(9);
        recorder.step();
        done = new Counts(14, 0, 0, 0, 0);
        epoch = null;
        recorder.step();
        done = new Counts(20, 0, 0, 0, 0);
        passMillis(MINUTE);
        recorder.step();
        assertEquals(List.of("0 7 10", "1 7 3", "1 9 1"), claims());
    }

    @Test
    void a_master_whose_attempts_fail_says_so_within_seconds_and_no_longer_than_a_minute() {
        epoch = epoch(7);
        recorder.step();
        done = new Counts(0, 10, 19, 0, 0);
        passMillis(5_000);
        recorder.step();
        assertEquals(Optional.empty(), recorder.failing(), "less than two of three");
        done = new Counts(0, 22, 2379, 0, 0);
        passMillis(5_000);
        recorder.step();
        assertEquals(Optional.of("2379 of 2401 attempts that ended within a minute failed"), recorder.failing());
        passMillis(MINUTE);
        recorder.step();
        done = new Counts(0, 23, 2398, 0, 0);
        passMillis(MINUTE);
        recorder.step();
        assertEquals(
                Optional.empty(),
                recorder.failing(),
                "nineteen failures are too few to tell: they may be of one task that is retried");
        done = new Counts(0, 23, 2500, 0, 0);
        passMillis(5_000);
        recorder.step();
        assertTrue(recorder.failing().isPresent());
        epoch = null;
        recorder.step();
        assertEquals(Optional.empty(), recorder.failing(), "it is no master any more");
    }

    @Test
    void a_write_is_due_every_five_seconds_and_at_the_end_of_the_minute() {
        epoch = epoch(7);
        passMillis(57_000);
        assertEquals(Duration.ofSeconds(3).toNanos(), recorder.step());
        passMillis(1_000);
        assertEquals(Duration.ofSeconds(2).toNanos(), recorder.step());
        passMillis(2_000);
        assertEquals(Duration.ofSeconds(5).toNanos(), recorder.step());
    }

    @Test
    void minutes_that_could_not_be_stored_are_stored_later() {
        epoch = epoch(7);
        recorder.step();
        execute("alter table twinbell.activity_minute rename to away");
        for (int minute = 1; minute <= 3; minute++) {
            done = new Counts(minute, 0, 0, 0, 0);
            passMillis(MINUTE);
            recorder.step();
        }
        execute("alter table twinbell.away rename to activity_minute");
        assertEquals(List.of(), claims());
        passMillis(5_000);
        recorder.step();
        assertEquals(List.of("0 7 1", "1 7 1", "2 7 1", "3 7 0"), claims());
    }

    @Test
    void minutes_older_than_a_week_are_deleted_at_the_hour() {
        long hour = (START / (60 * MINUTE) + 1) * 60 * MINUTE;
        minutes.put(List.of(
                new ActivityMinute(hour - ActivityMinutes.KEPT.toMillis() - MINUTE, 1, "a", NOTHING, null, null),
                new ActivityMinute(hour - ActivityMinutes.KEPT.toMillis(), 1, "a", NOTHING, null, null)));
        epoch = epoch(7);
        passMillis(hour - START);
        recorder.step();
        passMillis(5_000);
        recorder.step();
        assertEquals(
                List.of(hour - ActivityMinutes.KEPT.toMillis(), hour),
                minutes.between(0, hour + MINUTE, 100).stream()
                        .map(ActivityMinute::minuteMillis)
                        .toList());
    }

    private void execute(String sql) {
        try (Connection connection = database.getConnection()) {
            connection.createStatement().execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }
}
