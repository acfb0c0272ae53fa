package io.twinbell.persistence.ledger.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Waiting tasks, some of which wait for an execution that does not exist. */
class StalledTaskTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final DatabaseSettings settings = TestSettings.of(database, "a");

    @AutoClose
    private final DedicatedConnection connection = DedicatedConnection.byKey(settings, "test", 5);

    private final RecoveryStore recovery = new JdbcRecoveryStore(connection, new HandTicker());
    private final long first = waiting("first");
    private final long arriving = waiting("arriving");
    private final long second = waiting("second");
    private final long running = waiting("running");
    private final long third = waiting("third");

    StalledTaskTest() {
        tasks.insert("due", "{}", 0);
        tasks.execute("insert into twinbell.arrival (task_id, at) values (" + arriving + ", now())");
        ledgerHas(running, "CLAIMED", "null");
        ledgerHas(third, "SUCCEEDED", "'2026-01-01T00:00:01.5Z'");
    }

    private long waiting(String name) {
        long id = tasks.insert(name, "{}", 0);
        tasks.execute("update twinbell.task_state set next_fire_time = null where task_id = " + id);
        return id;
    }

    private void ledgerHas(long task, String state, String ended) {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, ended_at)" + " values ("
                + task + ", '2026-01-01Z', 'test', 't', '" + state + "', " + ended + ")");
    }

    private static List<Long> ids(StalledTask.StalledTaskPage stalledTaskPage) {
        return stalledTaskPage.tasks().stream().map(StalledTask::taskId).toList();
    }

    @Test
    void those_that_wait_for_a_run_that_is_not_there_are_found_with_the_end_of_their_last() {
        StalledTask.StalledTaskPage stalledTaskPage = recovery.stalled(StalledTask.FROM_THE_FIRST, 100);
        assertEquals(List.of(first, second, third), ids(stalledTaskPage));
        assertEquals(1_767_225_601_500L, stalledTaskPage.tasks().get(2).lastEndedMillis());
        assertEquals(0, stalledTaskPage.tasks().get(0).lastEndedMillis());
        assertEquals(StalledTask.FROM_THE_FIRST, stalledTaskPage.nextAfter());
    }

    @Test
    void a_look_is_at_so_many_that_wait_and_the_next_goes_on_behind_them() {
        StalledTask.StalledTaskPage once = recovery.stalled(StalledTask.FROM_THE_FIRST, 2);
        assertEquals(List.of(first), ids(once));
        assertEquals(arriving, once.nextAfter());
        StalledTask.StalledTaskPage twice = recovery.stalled(once.nextAfter(), 2);
        assertEquals(List.of(second), ids(twice));
        StalledTask.StalledTaskPage atLast = recovery.stalled(twice.nextAfter(), 2);
        assertEquals(List.of(third), ids(atLast));
        assertEquals(StalledTask.FROM_THE_FIRST, atLast.nextAfter());
    }

    @Test
    void nothing_is_looked_at_if_nothing_waits() {
        StalledTask.StalledTaskPage stalledTaskPage = recovery.stalled(third, 2);
        assertEquals(List.of(), ids(stalledTaskPage));
        assertEquals(StalledTask.FROM_THE_FIRST, stalledTaskPage.nextAfter());
    }
}
