package io.twinbell.ops.check;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * All that happened while tasks were watched.
 *
 * @param openings the epoch that was current at the beginning, and every later one, in the order in which they were
 *     recorded
 * @param stoppedMillis when the tasks were stopped
 */
public record History(
        List<WatchedTask> tasks, List<LedgerRow> rows, List<Call> calls, List<Opening> openings, long stoppedMillis) {
    public History {
        tasks = List.copyOf(tasks);
        rows = List.copyOf(rows);
        calls = List.copyOf(calls);
        openings = List.copyOf(openings);
    }

    Map<Long, WatchedTask> tasksById() {
        return tasks.stream().collect(Collectors.toMap(WatchedTask::id, Function.identity()));
    }

    /** Every task's rows, oldest fire time first. */
    Map<Long, List<LedgerRow>> rowsByTask() {
        return rows.stream()
                .sorted((a, b) -> a.slot().compareTo(b.slot()))
                .collect(Collectors.groupingBy(row -> row.slot().taskId()));
    }

    Map<Slot, List<Call>> callsBySlot() {
        return calls.stream().collect(Collectors.groupingBy(Call::slot));
    }
}
