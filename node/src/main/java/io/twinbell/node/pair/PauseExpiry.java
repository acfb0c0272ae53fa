package io.twinbell.node.pair;

import io.twinbell.node.loop.Loop;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.task.TaskStore;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Resumes tasks whose pause has reached its end time. This is an ordinary edit: it may wait behind the API's edits and
 * needs no epoch. If both nodes do it, the second one finds nothing to resume.
 */
final class PauseExpiry {
    /** The interval between two passes. A pause that is set to end within this time may end late by up to this time. */
    private static final Duration LOOK = Duration.ofSeconds(1);
    /** The interval after an end that could not be applied because the task's row is locked. */
    private static final Duration AGAIN = Duration.ofMillis(100);

    private final TaskStore tasks;
    private final BooleanSupplier isMaster;
    private final DatabaseClock clock;
    private final Supplier<Calendars> calendars;
    private final Loop loop;

    PauseExpiry(
            TaskStore tasks, BooleanSupplier isMaster, DatabaseClock clock, Supplier<Calendars> calendars, Loop loop) {
        this.tasks = tasks;
        this.isMaster = isMaster;
        this.clock = clock;
        this.calendars = calendars;
        this.loop = loop;
    }

    /** Makes one pass; returns how long to sleep, in nanoseconds. */
    long step() {
        if (!isMaster.getAsBoolean()) {
            return LOOK.toNanos();
        }
        try {
            OptionalLong next = tasks.endPauses(TaskChanges.endPause(calendars.get()));
            return next.isEmpty() ? LOOK.toNanos() : until(next.getAsLong());
        } catch (DatabaseUnavailableException e) {
            loop.failed(e);
            return LOOK.toNanos();
        }
    }

    private long until(long endMillis) {
        long leftMillis = endMillis - clock.nowMillis();
        Duration sleep = leftMillis < 0 ? AGAIN : Duration.ofMillis(Math.min(leftMillis + 1, LOOK.toMillis()));
        return sleep.toNanos();
    }
}
