package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.ExecutionFilter;
import io.twinbell.node.execution.store.ExecutionQueries.ExecutionPage;
import io.twinbell.node.execution.store.JdbcExecutionQueries;
import io.twinbell.node.execution.store.SlotsInDoubt;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.DoubtWindow;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.DoubtReasons;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.testing.TestPostgres;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What a successor does with slots that may have run, and how it names them. */
class DoubtFiringTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final String OTHERWISE = ",\"overlap\":\"ALLOW\",\"onDoubt\":";

    private EngineBench bench;
    private DedicatedConnection connection;
    private SlotsInDoubt inDoubt;
    private long fire;

    @BeforeEach
    void prepare() {
        TestPostgres.clear(DATABASE);
        bench = new EngineBench(DATABASE, 100);
        connection = new DedicatedConnection(bench.settings, "test", 5);
        inDoubt = new SlotsInDoubt(connection);
        fire = bench.nowMillis - 1000;
    }

    @AfterEach
    void close() {
        connection.close();
        bench.close();
    }

    @Test
    void planned_slots_are_named_whatever_their_tasks_want_and_later_ones_are_not() {
        long dropped = bench.task("dropped", StoredTasks.EVERY_MINUTE, fire, OTHERWISE + "\"DROP\"");
        long asked = bench.task("asked", StoredTasks.EVERY_MINUTE, fire, OTHERWISE + "\"ASK\"");
        long rerun = bench.task("rerun", StoredTasks.EVERY_MINUTE, fire, OTHERWISE + "\"RERUN\"");
        bench.task("later", StoredTasks.EVERY_MINUTE, fire + 1, OTHERWISE + "\"DROP\"");
        lose();
        Epoch epoch = bench.beginAndFire();
        assertEquals(
                List.of("dropped DROPPED 1", "asked DROPPED 1", "rerun SUCCEEDED 1", "later SUCCEEDED 1"),
                bench.ledger());
        bench.tasks.assertRows(
                "select reason from twinbell.execution where reason is not null order by task_id",
                DoubtReasons.DROPPED,
                DoubtReasons.ASKED,
                DoubtReasons.RUN_AGAIN);
        List<Slot> named = List.of(new Slot(dropped, fire), new Slot(asked, fire), new Slot(rerun, fire));
        assertEquals(
                Map.of(epoch.number(), new SlotsInDoubt.SlotList(3, named)),
                inDoubt.of(Set.of(epoch.number(), epoch.number() - 1), 10));
        assertEquals(
                named.subList(0, 2),
                inDoubt.of(Set.of(epoch.number()), 2).get(epoch.number()).first());
        assertEquals(3, inDoubt.found(Duration.ofHours(1)));
        assertEquals(
                Set.of("dropped", "asked", "rerun"),
                Set.copyOf(listed().stream().map(execution -> execution.name()).toList()));
    }

    @Test
    void a_waiting_row_is_in_doubt_as_well() {
        waits("dropped", "PENDING", fire, "null", "\"DROP\"");
        waits("asked", "RETRYING", fire - 60_000, "twinbell.instant(" + fire + ")", "\"ASK\"");
        waits("rerun", "RETRYING", fire - 60_000, "twinbell.instant(" + fire + ")", "\"RERUN\"");
        waits("later", "RETRYING", fire - 60_000, "twinbell.instant(" + (fire + 1) + ")", "\"DROP\"");
        lose();
        waits("wanted since", "PENDING", fire - 120_000, "null", "\"DROP\"");
        bench.beginAndFire();
        assertEquals(
                Set.of(
                        "dropped DROPPED 1",
                        "asked DROPPED 1",
                        "rerun SUCCEEDED 2",
                        "later SUCCEEDED 2",
                        "wanted since SUCCEEDED 1"),
                Set.copyOf(bench.ledger()));
        assertEquals(3, inDoubt.found(Duration.ofHours(1)));
        assertEquals(3, listed().size());
    }

    @Test
    void a_slot_that_a_person_runs_again_is_run_by_a_later_master_too() {
        waits("asked", "PENDING", fire, "null", "\"ASK\"");
        lose();
        bench.beginAndFire();
        assertEquals(List.of("asked DROPPED 1"), bench.ledger());
        bench.tasks.execute("update twinbell.execution set state = 'PENDING', attempt = 2, ended_at = null");
        bench.beginAndFire();
        assertEquals(List.of("asked SUCCEEDED 2"), bench.ledger());
        assertEquals(1, listed().size(), "it stays named");
    }

    /** The successor has found out up to when slots may have run. */
    private void lose() {
        bench.tasks.execute("insert into twinbell.doubt_window (until_time, last_task) values (twinbell.instant(" + fire
                + "), (select max(id) from twinbell.task))");
        bench.doubt(new DoubtWindow.DoubtBounds(fire, bench.tasks.number("select max(id) from twinbell.task")));
    }

    private void waits(String name, String state, long fireMillis, String due, String policy) {
        long task = bench.task(name, StoredTasks.EVERY_MINUTE, bench.nowMillis + 600_000, OTHERWISE + policy);
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, due_at) values ("
                + task + ", twinbell.instant(" + fireMillis + "), 'test', '" + name + "', '" + state + "', " + due
                + ")");
    }

    private List<Execution> listed() {
        ExecutionFilter filter =
                new ExecutionFilter(ExecutionFilter.OfTask.ANY, Set.of(), null, null, null, null, null, true);
        return new JdbcExecutionQueries(DATABASE).list(filter, new ExecutionPage(null, 10, true, true));
    }
}
