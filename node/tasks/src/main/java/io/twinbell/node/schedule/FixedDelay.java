package io.twinbell.node.schedule;

import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.schedule.text.Interval;
import java.util.Optional;

/**
 * Fires once at the start, and then a fixed time after the end of each run.
 *
 * @param everyMillis the delay between the end of a run and the next fire time, 10 ms to ten years
 */
public record FixedDelay(long everyMillis, Window window) implements Schedule {
    /** Returns {@link #NEVER} if the window has ended by then. */
    @Override
    public long afterRun(long endMillis) {
        if (endMillis >= window.lastMillis()) {
            return NEVER;
        }
        long fire = Math.max(endMillis + everyMillis, window.startMillis());
        return fire > window.lastMillis() ? NEVER : fire;
    }

    /**
     * Returns the start if it is in the future; otherwise the fire time after a run that ended at the given instant.
     */
    @Override
    public long next(long afterMillis) {
        boolean startIsToCome = afterMillis < window.startMillis() && window.startMillis() <= window.lastMillis();
        return startIsToCome ? window.startMillis() : afterRun(afterMillis);
    }

    /** Returns the start, the only fire time that does not depend on the runs. */
    @Override
    public long previous(long beforeMillis) {
        boolean hasStarted = window.startMillis() < beforeMillis && window.startMillis() <= window.lastMillis();
        return hasStarted ? window.startMillis() : NONE_BEFORE;
    }

    /** At most one fire time is overdue, because the next one exists only after the run has ended. */
    @Override
    public Overdue overdue(long firstMillis, long untilMillis, int limit) {
        return firstMillis > untilMillis ? Overdue.none(firstMillis) : new Overdue(firstMillis, firstMillis, 1, true);
    }

    @Override
    public Optional<Overdue> countOnGrid(long firstMillis, long untilMillis) {
        if (firstMillis > untilMillis) {
            return Optional.of(Overdue.none(firstMillis));
        }
        long further = Math.max(0, Math.min(untilMillis, window.lastMillis()) - firstMillis) / everyMillis;
        return Optional.of(new Overdue(firstMillis, firstMillis + further * everyMillis, 1 + further, true));
    }

    @Override
    public DstMark mark(long fireMillis) {
        return DstMark.NONE;
    }

    @Override
    public String description() {
        return Interval.words(everyMillis) + " after each run has ended";
    }

    @Override
    public boolean followsTheRun() {
        return true;
    }
}
