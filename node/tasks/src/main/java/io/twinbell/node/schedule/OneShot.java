package io.twinbell.node.schedule;

import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;
import java.time.Instant;

/**
 * Fires once at a given instant. The start of the window does not delay it. If the instant has passed, the misfire
 * policy decides.
 */
record OneShot(long atMillis) implements Schedule {
    @Override
    public long next(long afterMillis) {
        return afterMillis < atMillis ? atMillis : NEVER;
    }

    @Override
    public long previous(long beforeMillis) {
        return atMillis < beforeMillis ? atMillis : NONE_BEFORE;
    }

    @Override
    public Overdue overdue(long firstMillis, long untilMillis, int limit) {
        if (firstMillis > untilMillis) {
            return Overdue.none(firstMillis);
        }
        boolean moved = firstMillis < atMillis && atMillis <= untilMillis;
        return new Overdue(firstMillis, moved ? atMillis : firstMillis, moved ? 2 : 1, true);
    }

    @Override
    public boolean firesOnce() {
        return true;
    }

    @Override
    public DstMark mark(long fireMillis) {
        return DstMark.NONE;
    }

    @Override
    public String description() {
        return "once, at " + Instant.ofEpochMilli(atMillis);
    }
}
