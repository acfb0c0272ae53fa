package io.twinbell.node.compile;

import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.compile.store.SkippedRange;
import io.twinbell.node.compile.store.SkippedRanges;
import io.twinbell.node.compile.store.SqlArrivalSource;
import io.twinbell.node.engine.task.TaskCompiler;
import io.twinbell.node.task.ArrivalDecision;
import io.twinbell.node.task.PassedSlotFinder;
import io.twinbell.persistence.task.DefinitionParts;
import io.twinbell.persistence.task.PassedSlots;
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
    private final TaskCompiler compiler;

    public SqlArrivals(
            SqlArrivalSource arrivals, SkippedRanges skippedRanges, CalendarBook calendars, TaskCompiler compiler) {
        this.arrivals = arrivals;
        this.skippedRanges = skippedRanges;
        decision = new ArrivalDecision(calendars::latest);
        this.compiler = compiler;
    }

    /** Does one step; returns whether there may be more. */
    public boolean step() {
        boolean moreRanges = skippedRanges.settle(BATCH, this::passedSlots) >= BATCH;
        return arrivals.receive(BATCH, decision) >= BATCH || moreRanges;
    }

    private Optional<PassedSlots> passedSlots(SkippedRange skippedRange) {
        TaskCompiler.Compiled compiled = compiler.compile(
                skippedRange.name().app(),
                skippedRange.name().name(),
                DefinitionParts.whole(skippedRange.definition()));
        if (compiled.definition() == null) {
            LOG.warn("the skipped slots of task {} cannot be determined: {}", skippedRange.taskId(), compiled.error());
            return Optional.empty();
        }
        return PassedSlotFinder.over(skippedRange, compiled.definition().schedule());
    }
}
