package io.twinbell.node.engine;

import io.twinbell.node.engine.run.Backpressure;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Slot;
import java.util.List;
import java.util.UUID;

/** Makes definitions as the table contains them, and runs of them. */
public final class StoredTasks {
    /** A Monday, in milliseconds; every schedule here is anchored to it. */
    public static final long START = 1_767_571_200_000L;

    /** A schedule whose instant has passed: the task fires when its row says so, and never again. */
    public static final String ONCE = "{\"at\":\"2026-01-05T00:00:00.000Z\"}";

    public static final String EVERY_SECOND = "{\"every\":\"PT1S\"}";
    public static final String EVERY_MINUTE = "{\"every\":\"PT1M\"}";
    public static final String DELAY_OF_A_MINUTE = "{\"every\":\"PT1M\",\"mode\":\"FIXED_DELAY\"}";

    /** Bounds nothing. */
    public static final Backpressure NO_PRESSURE = new Backpressure(10_000, () -> 0);

    private StoredTasks() {}

    /** @param more further members, each with a comma before it */
    public static String json(String schedule, String... more) {
        return "{\"schedule\":" + schedule + ",\"start\":\"2026-01-05T00:00:00.000Z\","
                + "\"handler\":{\"type\":\"java\",\"key\":\"k\"}" + String.join("", more) + "}";
    }

    public static TaskDefinition definition(String schedule, String... more) {
        return TaskReader.definition("app", "name", json(schedule, more), Calendars.NONE);
    }

    public static Epoch epoch(long number) {
        return new Epoch(number, new UUID(0, number), "a", 0);
    }

    public static Attempt attempt(long task, long fireMillis, long epoch) {
        return new Attempt(new Slot(task, fireMillis), "app", "name", 1, epoch, "a", List.of());
    }

    public static Run run(Epoch epoch, long task, long fireMillis, String... more) {
        return new Run(epoch, attempt(task, fireMillis, epoch.number()), definition(EVERY_MINUTE, more), 0, 0);
    }

    /** A run of a slot's later attempt. */
    public static Run again(long task, long fireMillis, int attempt) {
        Attempt again = new Attempt(new Slot(task, fireMillis), "app", "name", attempt, 1, "a", List.of());
        return new Run(epoch(1), again, definition(EVERY_MINUTE), 0, 0);
    }

    public static Run runOf(String app, long task, long fireMillis) {
        Attempt attempt = new Attempt(new Slot(task, fireMillis), app, "name", 1, 1, "a", List.of());
        return new Run(epoch(1), attempt, definition(EVERY_MINUTE), 0, 0);
    }

    public static Run run(long task, long fireMillis) {
        return run(epoch(1), task, fireMillis);
    }
}
