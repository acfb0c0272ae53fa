package io.twinbell.persistence.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.execution.store.JdbcExecutionQueries;
import io.twinbell.node.limit.store.LimitStore;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.JdbcLedger;
import io.twinbell.persistence.ledger.recovery.JdbcRecoveryStore;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.ledger.recovery.RecoveryStore.ReleaseRequest;
import io.twinbell.persistence.limit.JdbcLimitSource;
import io.twinbell.persistence.limit.RunLimit;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Counts and hand-backs of claims include the claims of a batch. */
class PackedViewsTest {
    private static final int MANY = 5;
    private static final String KEY = "app:test";
    private static final RunLimit LIMIT = new RunLimit(KEY, 7, new RunLimit.Rate(9, Duration.ofMinutes(1)));

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final DatabaseSettings settings = TestSettings.of(database, "a");

    @AutoClose
    private final DedicatedConnection connection = DedicatedConnection.byKey(settings, "test", 5);

    private final RecoveryStore recovery = new JdbcRecoveryStore(connection, new HandTicker());
    private final LimitStore limits = new LimitStore(database);
    private final JdbcLimitSource source = new JdbcLimitSource(connection, connection);
    private final Epoch epoch = TestSettings.openEpoch(new JdbcEpochRegister(settings, connection), settings, 0);

    private final long now = tasks.number("select twinbell.now_millis()");
    private final List<Long> ids = IntStream.range(0, MANY)
            .mapToObj(i -> tasks.insert("t" + i, "{}", now))
            .toList();

    PackedViewsTest() {
        new JdbcLedger(connection, new PackedSlots(MANY))
                .claim(epoch, 7, ids.stream().map(this::claim).toList());
        assertEquals(0, tasks.number("select count(*) from twinbell.execution"), "all are in a batch");
    }

    private DecidedSlot claim(long task) {
        return new DecidedSlot(task, 1, now, DecidedSlot.NONE, true, DecidedSlot.UNLIMITED, LedgerEntry.claimed(now));
    }

    @Test
    void a_limit_shows_them_as_running() {
        limits.put(LIMIT);
        assertEquals(MANY, limits.find(KEY).orElseThrow().running());
    }

    @Test
    void a_successor_counts_them_under_limits() {
        limits.put(LIMIT);
        Epoch next = new Epoch(epoch.number() + 1, epoch.token(), "b", 0);
        assertEquals(Map.of(KEY, MANY), source.runningElsewhere(next, List.of(KEY)));
        assertEquals(Map.of(), source.runningElsewhere(epoch, List.of(KEY)), "its own are in its memory");
    }

    @Test
    void one_that_is_to_be_released_is_taken_back_and_the_others_stay_claimed() {
        Slot slot = new Slot(ids.get(2), now);
        new JdbcExecutionQueries(database).release(slot, "stuck");
        List<ReleaseRequest> taken = recovery.takeReleaseRequests(epoch, 10);
        assertEquals(1, taken.size());
        assertEquals(slot, taken.get(0).attempt().slot());
        assertEquals("stuck", taken.get(0).reason());
        assertEquals(List.of(), recovery.takeReleaseRequests(epoch, 10), "each once");
        assertEquals(
                MANY,
                tasks.number("select (select count(*) from twinbell.execution where state = 'CLAIMED')"
                        + " + (select count(*) from twinbell.batch_claim)"));
    }
}
