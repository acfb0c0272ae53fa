package io.twinbell.node.pair;

import io.twinbell.node.loop.Loop;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.task.TaskStore;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Resumes tasks whose pause was given an end. It is an edit like any other, so it may wait behind the API's and needs no
 * epoch: should two nodes do it, the second finds nothing left.
 */
final class PauseExpiry {
    /** A pause that ends sooner than this after it was made may end late by as much. */
    private static final Duration LOOK = Duration.ofSeconds(1);
    /** After an end that has come and could not be acted on: somebody holds the task. */
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

    /** One look; returns how long to sleep, in nanoseconds. */
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
