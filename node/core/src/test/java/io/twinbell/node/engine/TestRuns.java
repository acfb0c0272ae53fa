package io.twinbell.node.engine;

import io.twinbell.node.engine.run.Backpressure;
import io.twinbell.node.engine.run.ClaimRoom;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.task.ContentionPolicy;
import io.twinbell.node.engine.task.DoubtPolicy;
import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Followers;
import io.twinbell.node.engine.task.HandlerDefinition;
import io.twinbell.node.engine.task.Misfire;
import io.twinbell.node.engine.task.OrphanPolicy;
import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Overlap;
import io.twinbell.node.engine.task.Retry;
import io.twinbell.node.engine.task.RetryCodes;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** Makes runs of tasks that fire every minute. */
public final class TestRuns {
    /** A Monday, in milliseconds; every schedule here is anchored to it. */
    public static final long START = 1_767_571_200_000L;

    /** Bounds nothing. */
    public static final Backpressure NO_PRESSURE = new Backpressure(10_000, () -> 0);

    /** Room for a number of runs, without a rule for apps. */
    public static ClaimRoom room(int runs) {
        return new ClaimRoom(runs, runs, Integer.MAX_VALUE, 0);
    }

    private static final HandlerDefinition HANDLER = new HandlerDefinition() {
        @Override
        public String type() {
            return "java";
        }

        @Override
        public String key() {
            return "k";
        }
    };

    private TestRuns() {}

    /** Fires at each full minute. */
    private record EveryMinute() implements Schedule {
        private static final long MINUTE = 60_000;

        @Override
        public long next(long afterMillis) {
            return (Math.floorDiv(afterMillis, MINUTE) + 1) * MINUTE;
        }

        @Override
        public long previous(long beforeMillis) {
            return Math.floorDiv(beforeMillis - 1, MINUTE) * MINUTE;
        }

        @Override
        public Overdue overdue(long firstMillis, long untilMillis, int limit) {
            long last = Math.max(firstMillis, Math.floorDiv(untilMillis, MINUTE) * MINUTE);
            return new Overdue(firstMillis, last, 1 + (last - firstMillis) / MINUTE, true);
        }

        @Override
        public DstMark mark(long fireMillis) {
            return DstMark.NONE;
        }

        @Override
        public String description() {
            return "every minute";
        }
    }

    public static TaskDefinition definition(Overlap overlap) {
        return new TaskDefinition(
                new EveryMinute(),
                TaskDefinition.UNLIMITED,
                HANDLER,
                Duration.ofMinutes(1),
                null,
                new Misfire(Misfire.Policy.FIRE_ONCE, Duration.ofSeconds(60), 100, Misfire.Order.NEWEST),
                new Retry(1, Duration.ofSeconds(10), 2, Duration.ofHours(1), 0, RetryCodes.ALL),
                overlap,
                overlap == Overlap.QUEUE ? 10 : 0,
                OrphanPolicy.RERUN,
                DoubtPolicy.ASK,
                null,
                0,
                new ContentionPolicy(ContentionPolicy.USUAL_PRIORITY, null),
                Followers.NONE);
    }

    public static Epoch epoch(long number) {
        return new Epoch(number, new UUID(0, number), "a", 0);
    }

    public static Attempt attempt(long task, long fireMillis, long epoch) {
        return new Attempt(new Slot(task, fireMillis), "app", "name", 1, epoch, "a", List.of());
    }

    public static Run run(Epoch epoch, long task, long fireMillis) {
        return run(epoch, task, fireMillis, Overlap.SKIP);
    }

    public static Run run(Epoch epoch, long task, long fireMillis, Overlap overlap) {
        return new Run(epoch, attempt(task, fireMillis, epoch.number()), definition(overlap), 0, 0);
    }

    public static Run run(long task, long fireMillis) {
        return run(epoch(1), task, fireMillis);
    }

    /** A run of a slot's later attempt. */
    public static Run again(long task, long fireMillis, int attempt) {
        Attempt again = new Attempt(new Slot(task, fireMillis), "app", "name", attempt, 1, "a", List.of());
        return new Run(epoch(1), again, definition(Overlap.SKIP), 0, 0);
    }

    public static Run runOf(String app, long task, long fireMillis) {
        Attempt attempt = new Attempt(new Slot(task, fireMillis), app, "name", 1, 1, "a", List.of());
        return new Run(epoch(1), attempt, definition(Overlap.SKIP), 0, 0);
    }
}
