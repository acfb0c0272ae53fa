package io.twinbell.persistence.ledger.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.compile.store.JdbcSqlArrivalSource;
import io.twinbell.node.compile.store.SqlArrivalSource;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.JdbcDueTasks;
import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Scans that are slow find everything all the same, some with each call. */
class DividedScansTest {
    private static final int TASKS = 40;
    private static final int MOST_CALLS = 2000;

    /** Each scan seems to take 30 ms, and some time passes between two. */
    private final Ticker slow = new Ticker() {
        private final HandTicker time = new HandTicker();

        @Override
        public long nanos() {
            time.pass(Duration.ofMillis(60));
            return time.nanos();
        }
    };

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final DatabaseSettings settings = TestSettings.of(database, "a");

    @AutoClose
    private final DedicatedConnection connection = DedicatedConnection.byKey(settings, "test", 5);

    private final JdbcRecoveryStore recovery = new JdbcRecoveryStore(connection, slow);
    private final Epoch epoch = TestSettings.openEpoch(new JdbcEpochRegister(settings, connection), settings, 0);

    /** What several calls find together, until all is found. */
    private static Set<Long> gathered(int all, Supplier<Stream<Long>> call) {
        Set<Long> found = new TreeSet<>();
        int calls = 0;
        while (found.size() < all && calls++ < MOST_CALLS) {
            call.get().forEach(found::add);
        }
        return found;
    }

    private Set<Long> claimedTasks(long ofEpoch) {
        Set<Long> ids = new TreeSet<>();
        for (int i = 0; i < TASKS; i++) {
            long id = tasks.insert("t" + i, "{}", 0);
            tasks.execute(
                    "insert into twinbell.execution (task_id, fire_time, app, name, state, epoch, node, claimed_at)"
                            + " values (" + id + ", '2026-01-01Z', 'test', 't" + i + "', 'CLAIMED', " + ofEpoch
                            + ", 'a', '2026-01-01Z')");
            ids.add(id);
        }
        return ids;
    }

    private static Stream<Long> ids(List<Attempt> attempts) {
        return attempts.stream().map(attempt -> attempt.slot().taskId());
    }

    @Test
    void the_first_search_for_orphans_of_an_epoch_is_complete() {
        Set<Long> ids = claimedTasks(epoch.number() - 1);
        assertEquals(ids, new TreeSet<>(ids(recovery.orphans(epoch, 100)).toList()));
    }

    @Test
    void later_searches_find_each_orphan_too() {
        recovery.orphans(epoch, 100);
        Set<Long> ids = claimedTasks(epoch.number() - 1);
        assertTrue(ids(recovery.orphans(epoch, 100)).count() < TASKS, "a part");
        assertEquals(ids, gathered(TASKS, () -> ids(recovery.orphans(epoch, 100))));
    }

    @Test
    void each_row_of_this_epoch_is_found() {
        recovery.own(epoch, 0, 100);
        Set<Long> ids = claimedTasks(epoch.number());
        assertEquals(ids, gathered(TASKS, () -> ids(recovery.own(epoch, 0, 100))));
    }

    @Test
    void each_stalled_task_is_found_however_few_are_examined_at_once() {
        recovery.stalled(StalledTask.FROM_THE_FIRST, 3);
        Set<Long> ids = new TreeSet<>();
        for (int i = 0; i < TASKS; i++) {
            ids.add(tasks.insert("t" + i, "{}", 0));
        }
        tasks.execute("update twinbell.task_state set next_fire_time = null");
        long[] after = {StalledTask.FROM_THE_FIRST};
        assertEquals(ids, gathered(TASKS, () -> {
            StalledTask.StalledTaskPage page = recovery.stalled(after[0], 3);
            after[0] = page.nextAfter();
            return page.tasks().stream().map(StalledTask::taskId);
        }));
    }

    @Test
    void each_overdue_task_is_found() {
        DueTasks due = new JdbcDueTasks(connection, slow);
        due.overdue(0, 100);
        Set<Long> ids = new TreeSet<>();
        long now = System.currentTimeMillis();
        for (int i = 0; i < TASKS; i++) {
            ids.add(tasks.insert("t" + i, "{}", now - Duration.ofHours(i).toMillis()));
        }
        assertEquals(
                ids,
                gathered(
                        TASKS,
                        () -> Arrays.stream(due.overdue(0, 100).taskIds()).boxed()));
    }

    @Test
    void a_task_whose_transaction_commits_after_later_ones_arrives() throws SQLException {
        SqlArrivalSource source = new JdbcSqlArrivalSource(connection, slow);
        Set<Long> arrived = new TreeSet<>();
        SqlArrivalSource.ArrivalDecider decider = new SqlArrivalSource.ArrivalDecider() {
            @Override
            public TaskChange arrived(SqlArrivalSource.Arrival arrival) {
                arrived.add(arrival.task().id());
                return new TaskChange.Keep();
            }

            @Override
            public Optional<PassedSlots> removed(SqlArrivalSource.Removal removal) {
                return Optional.empty();
            }
        };
        try (Connection belated = database.getConnection();
                Statement statement = belated.createStatement()) {
            belated.setAutoCommit(false);
            statement.execute(add(1, 3));
            tasks.query(add(4, TASKS));
            while (source.receive(3, decider) >= 3) {
                // Each call receives some.
            }
            assertEquals(TASKS - 3, arrived.size());
            belated.commit();
        }
        int calls = 0;
        while (arrived.size() < TASKS && calls++ < MOST_CALLS) {
            source.receive(3, decider);
        }
        assertEquals(TASKS, arrived.size());
        assertEquals(0, tasks.number("select count(*) from twinbell.arrival"));
    }

    private static String add(int from, int until) {
        return "select twinbell.add_task('shop', 't' || i, '{\"in\":\"PT9H\"}', '{\"type\":\"log\",\"message\":\"x\"}')"
                + " from generate_series(" + from + ", " + until + ") i";
    }
}
