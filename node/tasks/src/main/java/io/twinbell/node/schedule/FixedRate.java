package io.twinbell.node.schedule;

import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.schedule.text.Interval;
import java.util.Optional;

/**
 * Fires on a fixed grid, {@code start + k × every}, regardless of the duration of the runs.
 *
 * @param everyMillis the grid's interval, 10 ms to ten years
 */
record FixedRate(long everyMillis, Window window) implements Schedule {
    /** Returns the grid with the same interval that contains this instant, from 1970 until the end. */
    FixedRate through(long millis, long endMillis) {
        return new FixedRate(everyMillis, new Window(Math.floorMod(millis, everyMillis), endMillis));
    }

    @Override
    public long next(long afterMillis) {
        if (afterMillis >= window.lastMillis()) {
            return NEVER;
        }
        return firing(afterMillis < window.startMillis() ? 0 : steps(afterMillis) + 1);
    }

    @Override
    public long previous(long beforeMillis) {
        return beforeMillis <= window.startMillis() || window.lastMillis() < window.startMillis()
                ? NONE_BEFORE
                : window.startMillis() + steps(beforeMillis - 1) * everyMillis;
    }

    @Override
    public Overdue overdue(long firstMillis, long untilMillis, int limit) {
        if (firstMillis > untilMillis) {
            return Overdue.none(firstMillis);
        }
        long further = steps(untilMillis) - steps(firstMillis);
        long last = further == 0 ? firstMillis : window.startMillis() + steps(untilMillis) * everyMillis;
        return new Overdue(firstMillis, last, 1 + further, true);
    }

    @Override
    public Optional<Overdue> countOnGrid(long firstMillis, long untilMillis) {
        return Optional.of(overdue(firstMillis, untilMillis, 1));
    }

    @Override
    public DstMark mark(long fireMillis) {
        return DstMark.NONE;
    }

    @Override
    public String description() {
        return "every " + Interval.words(everyMillis);
    }

    private long firing(long step) {
        long fire = window.startMillis() + step * everyMillis;
        return fire > window.lastMillis() ? NEVER : fire;
    }

    /** Returns the number of the last grid point at or before the instant: 0 for the start itself, -1 before it. */
    private long steps(long millis) {
        return millis < window.startMillis()
                ? -1
                : (Math.min(millis, window.lastMillis()) - window.startMillis()) / everyMillis;
    }
}
