package io.twinbell.node.execution.store;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of rare states do not read the executions that succeeded, which may be millions. */
class ExecutionPlanTest {
    private static final int SUCCEEDED = 20_000;

    private final TestTasks tasks = new TestTasks(TestPostgres.freshDatabase());

    @ParameterizedTest
    @ValueSource(strings = {"SKIPPED", "MISSED,SKIPPED,DROPPED", "FAILED,TIMED_OUT", "CANCELLED,SKIPPED"})
    void a_list_of_rare_states_is_read_from_an_index_of_them(String states) {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state)"
                + " select 1, now() - i * interval '1 microsecond', 'shop', 'close', 'SUCCEEDED'"
                + " from generate_series(1, " + SUCCEEDED + ") i");
        tasks.execute("analyze twinbell.execution");
        Set<ExecutionState> wanted = Arrays.stream(states.split(","))
                .map(ExecutionState::valueOf)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(ExecutionState.class)));
        String where = ExecutionConditions.of(
                        new ExecutionFilter(ExecutionFilter.OfTask.ANY, wanted, null, null, null, null, null, false))
                .where();
        String plan = String.join(
                "\n",
                tasks.query("explain select 1 from twinbell.execution" + where
                        + " order by fire_time desc, task_id desc limit 50"));
        String today = tasks.row("select 'execution_' || to_char(now() at time zone 'UTC', 'YYYYMMDD')");
        String indexOfAll = tasks.row(
                "select x.indexrelid::regclass::text from pg_index x join pg_inherits i"
                        + " on i.inhrelid = x.indexrelid where i.inhparent = 'twinbell.execution_by_time'::regclass"
                        + " and x.indrelid = ('twinbell.' || ?)::regclass",
                today);
        String scan = plan.lines()
                .filter(line -> line.contains(" on " + today + " "))
                .findFirst()
                .orElseThrow();
        assertTrue(scan.contains(" using " + today), () -> "no index in\n" + plan);
        assertFalse(scan.contains(indexOfAll.replace("twinbell.", "") + " "), () -> indexOfAll + " in\n" + plan);
    }
}
