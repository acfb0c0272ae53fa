package io.twinbell.node.virtual.tables;

import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.SkippedRange;
import io.twinbell.persistence.task.SkippedRanges;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Settles the ranges that moved tasks have skipped, in the tables in memory. */
public record VirtualSkippedRanges(VirtualTables tables) implements SkippedRanges {
    @Override
    public int settle(int limit, Function<SkippedRange, Optional<PassedSlots>> slots) {
        tables.reach("settle skipped ranges");
        List<SkippedRange> over = tables.skippedRanges.stream()
                .filter(range -> range.untilMillis() <= tables.nowMillis())
                .limit(limit)
                .toList();
        tables.skippedRanges.removeAll(over);
        for (SkippedRange range : over) {
            slots.apply(range)
                    .ifPresent(passed ->
                            tables.passed.add(new VirtualTables.PassedRow(range.taskId(), range.name(), passed)));
        }
        if (!over.isEmpty()) {
            tables.listener().ledgerChanged();
        }
        return over.size();
    }
}
