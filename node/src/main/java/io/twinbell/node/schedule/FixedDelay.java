package io.twinbell.node.schedule;

/**
 * Fires once at the start, and from then on a fixed time after each run has ended.
 *
 * @param everyMillis the pause between the end of a run and the next fire time, 10 ms to ten years
 */
public record FixedDelay(long everyMillis, Window window) implements Schedule {
    /** {@link #NEVER} if the window has closed by then. */
    @Override
    public long afterRun(long endMillis) {
        if (endMillis >= window.lastMillis()) {
            return NEVER;
        }
        long fire = Math.max(endMillis + everyMillis, window.startMillis());
        return fire > window.lastMillis() ? NEVER : fire;
    }

    /** The start, if that is still to come; else as if a run had ended at the given instant. */
    @Override
    public long next(long afterMillis) {
        boolean startIsToCome = afterMillis < window.startMillis() && window.startMillis() <= window.lastMillis();
        return startIsToCome ? window.startMillis() : afterRun(afterMillis);
    }

    /** The start: it is the only fire time that does not depend on the runs. */
    @Override
    public long previous(long beforeMillis) {
        boolean hasStarted = window.startMillis() < beforeMillis && window.startMillis() <= window.lastMillis();
        return hasStarted ? window.startMillis() : NONE_BEFORE;
    }

    /** One at most: the fire time after it comes into being only when its run has ended. */
    @Override
    public Overdue overdue(long firstMillis, long untilMillis, int limit) {
        return firstMillis > untilMillis ? Overdue.none(firstMillis) : new Overdue(firstMillis, firstMillis, 1, true);
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
