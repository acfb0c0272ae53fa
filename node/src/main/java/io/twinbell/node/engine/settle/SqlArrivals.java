package io.twinbell.node.engine.settle;

import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.engine.definition.DefinitionCompiler;
import io.twinbell.node.engine.definition.Definitions;
import io.twinbell.node.schedule.text.ScheduleTypeException;
import io.twinbell.node.task.ArrivalDecision;
import io.twinbell.node.task.PassedSlotFinder;
import io.twinbell.persistence.task.SkippedRange;
import io.twinbell.persistence.task.SkippedRanges;
import io.twinbell.persistence.task.SqlArrivalSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes changes made by SQL, a bounded number per step: tasks that applications added, replaced or removed, and
 * slots that were skipped by moving a next fire time.
 */
public final class SqlArrivals {
    private static final Logger LOG = LoggerFactory.getLogger(SqlArrivals.class);
    /** Each row may have a definition of a megabyte. */
    private static final int BATCH = 200;

    private final SqlArrivalSource arrivals;
    private final ArrivalDecision decision;
    private final SkippedRanges skippedRanges;
    private final DefinitionCompiler compiler;

    public SqlArrivals(SqlArrivalSource arrivals, SkippedRanges skippedRanges, CalendarBook calendars) {
        this.arrivals = arrivals;
        this.skippedRanges = skippedRanges;
        decision = new ArrivalDecision(calendars::latest);
        compiler = new DefinitionCompiler(calendars);
    }

    /** Does one step; returns whether there may be more. */
    boolean step() {
        boolean moreRanges = skippedRanges.settle(BATCH, this::passedSlots) >= BATCH;
        return arrivals.receive(BATCH, decision) >= BATCH || moreRanges;
    }

    private SkippedRanges.RangeSlots passedSlots(SkippedRange skippedRange) {
        Definitions.KnownDefinition known =
                compiler.compile(skippedRange.name().app(), skippedRange.name().name(), skippedRange.definition());
        if (known.waits()) {
            return SkippedRanges.RangeSlots.UNKNOWN;
        }
        if (known.definition() == null) {
            LOG.warn("the skipped slots of task {} cannot be determined: {}", skippedRange.taskId(), known.error());
            return SkippedRanges.RangeSlots.of(Optional.empty());
        }
        try {
            return SkippedRanges.RangeSlots.of(
                    PassedSlotFinder.over(skippedRange, known.definition().schedule()));
        } catch (ScheduleTypeException e) {
            // The code of the type fails: its slots wait, as those of its tasks do.
            return SkippedRanges.RangeSlots.UNKNOWN;
        }
    }
}
