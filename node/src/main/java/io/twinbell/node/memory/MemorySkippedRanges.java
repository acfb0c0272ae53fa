package io.twinbell.node.memory;

import io.twinbell.node.compile.store.SkippedRange;
import io.twinbell.node.compile.store.SkippedRanges;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Settles the ranges that moved tasks have skipped, in the tables in memory. */
public record MemorySkippedRanges(MemoryTables tables) implements SkippedRanges {
    @Override
    public int settle(int limit, Function<SkippedRange, RangeSlots> slots) {
        tables.reach("settle skipped ranges");
        List<SkippedRange> over = tables.skippedRanges.stream()
                .filter(range -> range.untilMillis() <= tables.nowMillis())
                .limit(limit)
                .toList();
        List<SkippedRange> settled = new ArrayList<>();
        for (SkippedRange range : over) {
            RangeSlots found = slots.apply(range);
            if (found.areKnown()) {
                found.slots()
                        .ifPresent(passed ->
                                tables.passed.add(new MemoryTables.PassedRow(range.taskId(), range.name(), passed)));
                settled.add(range);
            }
        }
        tables.skippedRanges.removeAll(settled);
        if (!settled.isEmpty()) {
            tables.listener().ledgerChanged();
        }
        return settled.size();
    }
}
