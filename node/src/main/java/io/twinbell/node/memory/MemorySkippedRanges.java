package io.twinbell.node.memory;

import io.twinbell.node.compile.store.SkippedRange;
import io.twinbell.node.compile.store.SkippedRanges;
import io.twinbell.persistence.task.PassedSlots;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Settles the ranges that moved tasks have skipped, in the tables in memory. */
public record MemorySkippedRanges(MemoryTables tables) implements SkippedRanges {
    @Override
    public int settle(int limit, Function<SkippedRange, Optional<PassedSlots>> slots) {
        tables.reach("settle skipped ranges");
        List<SkippedRange> over = tables.skippedRanges.stream()
                .filter(range -> range.untilMillis() <= tables.nowMillis())
                .limit(limit)
                .toList();
        over.forEach(range -> slots.apply(range)
                .ifPresent(
                        passed -> tables.passed.add(new MemoryTables.PassedRow(range.taskId(), range.name(), passed))));
        tables.skippedRanges.removeAll(over);
        if (!over.isEmpty()) {
            tables.listener().ledgerChanged();
        }
        return over.size();
    }
}
