package io.twinbell.tools.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.tools.bench.database.TimedRow;
import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.LedgerRow;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ResultCheckTest {
    private static final long START = 1_000_000;

    private final BenchPlan plan = new BenchPlan.OneShots(START, 3, 1000);
    private final ResultCheck check = new ResultCheck(plan, new long[] {7, 8, 9});

    @Test
    void a_ledger_with_each_slot_once_is_complete_and_late_from_the_planned_time_on() {
        check.add(row(7, 0, LedgerRow.State.SUCCEEDED, 0));
        check.add(row(8, 1, LedgerRow.State.SUCCEEDED, 40));
        check.add(row(9, 2, LedgerRow.State.SUCCEEDED, 3));

        assertEquals(List.of(), check.problems());
        assertEquals(3, check.succeeded());
        assertEquals(40_000, check.lateness().get("one-shot").getMaxValue(), 40);
        assertEquals(3000, check.lateness().get("one-shot").getValueAtPercentile(50), 1);
        assertEquals(START + 41 + 1, check.lastEndMillis());
    }

    @Test
    void lateness_is_reported_for_each_kind_of_task_and_for_all() {
        ResultCheck both = new ResultCheck(new BenchPlan.EverySecond(START, 2, 1), new long[] {7, 8});
        both.add(row(7, 0, LedgerRow.State.SUCCEEDED, 2));
        both.add(row(8, 500, LedgerRow.State.SUCCEEDED, 6));
        BenchResults results = new BenchResults();
        results.add(both);

        assertEquals(List.of(), results.problems());
        assertEquals(
                List.of("latenessCronP50 2", "latenessIntervalP50 6", "latenessAllP50 2", "latenessAllMax 6"),
                results.figures().stream()
                        .filter(figure ->
                                figure.name().endsWith("P50") || figure.name().equals("latenessAllMax"))
                        .map(figure -> figure.name() + " " + Math.round(figure.value()))
                        .toList());
        BenchResults alone = new BenchResults();
        alone.add(check);
        assertEquals(
                0,
                alone.figures().stream()
                        .filter(figure -> figure.name().startsWith("latenessAll"))
                        .count());
    }

    @Test
    void a_slot_that_never_came_is_a_problem() {
        check.add(row(7, 0, LedgerRow.State.SUCCEEDED, 0));
        check.add(row(9, 2, LedgerRow.State.SUCCEEDED, 0));

        assertEquals(List.of("1 slots are not in the ledger"), check.problems());
    }

    @Test
    void a_failure_a_repetition_an_early_call_and_an_unplanned_one_are_problems() {
        check.add(row(7, 0, LedgerRow.State.SUCCEEDED, -1));
        check.add(row(7, 0, LedgerRow.State.SUCCEEDED, 0));
        check.add(row(7, 5, LedgerRow.State.SUCCEEDED, 0));
        check.add(row(8, 1, LedgerRow.State.MISSED, 0));
        check.add(row(9, 2, LedgerRow.State.RUNNING, 0));

        assertEquals(
                List.of(
                        "1 slots ended RUNNING",
                        "1 slots ended MISSED",
                        "1 rows belong to slots that were not planned",
                        "1 slots occur twice in the ledger",
                        "1 slots started before their time"),
                check.problems());
    }

    @Test
    void rows_of_other_tasks_are_nobodys_here() {
        check.add(row(6, 0, LedgerRow.State.FAILED, 0));

        assertEquals(List.of("3 slots are not in the ledger"), check.problems());
    }

    private static TimedRow row(long task, long fire, LedgerRow.State state, long late) {
        long started = START + fire + late;
        return TimedRow.ofMillis(new LedgerRow(
                new CheckedSlot(task, START + fire),
                new LedgerRow.CoveredRange(START + fire, 1),
                state,
                new LedgerRow.LatestClaim(1, 1, OptionalLong.of(START + fire)),
                new LedgerRow.Times(OptionalLong.of(started), OptionalLong.of(started + 1)),
                null));
    }
}
