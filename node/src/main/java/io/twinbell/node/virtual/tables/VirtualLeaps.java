package io.twinbell.node.virtual.tables;

import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.SkippedRange;
import io.twinbell.persistence.task.SkippedRanges;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Settles the ranges that moved tasks have skipped, in the tables in memory. */
public record VirtualLeaps(VirtualTables tables) implements SkippedRanges {
    @Override
    public int settle(int limit, Function<SkippedRange, Optional<PassedSlots>> slots) {
        tables.reach("settle skipped ranges");
        List<SkippedRange> over = tables.leaps.stream()
                .filter(leap -> leap.untilMillis() <= tables.nowMillis())
                .limit(limit)
                .toList();
        tables.leaps.removeAll(over);
        for (SkippedRange leap : over) {
            slots.apply(leap)
                    .ifPresent(passed ->
                            tables.passed.add(new VirtualTables.PassedRow(leap.taskId(), leap.name(), passed)));
        }
        if (!over.isEmpty()) {
            tables.listener().ledgerChanged();
        }
        return over.size();
    }
}
