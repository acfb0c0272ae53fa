package io.twinbell.node.engine;

import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.epoch.Epoch;

/** Makes definitions as the table contains them, and runs of them. */
public final class StoredTasks {
    /** A Monday, in milliseconds; every schedule here is anchored to it. */
    public static final long START = TestRuns.START;

    /** A schedule whose instant has passed: the task fires when its row says so, and never again. */
    public static final String ONCE = "{\"at\":\"2026-01-05T00:00:00.000Z\"}";

    public static final String EVERY_SECOND = "{\"every\":\"PT1S\"}";
    public static final String EVERY_MINUTE = "{\"every\":\"PT1M\"}";
    public static final String DELAY_OF_A_MINUTE = "{\"every\":\"PT1M\",\"mode\":\"FIXED_DELAY\"}";

    private StoredTasks() {}

    /** @param more further members, each with a comma before it */
    public static String json(String schedule, String... more) {
        return "{\"schedule\":" + schedule + ",\"start\":\"2026-01-05T00:00:00.000Z\","
                + "\"handler\":{\"type\":\"java\",\"key\":\"k\"}" + String.join("", more) + "}";
    }

    public static TaskDefinition definition(String schedule, String... more) {
        return TaskReader.definition("app", "name", json(schedule, more), Calendars.NONE);
    }

    public static Run run(Epoch epoch, long task, long fireMillis, String... more) {
        return new Run(epoch, TestRuns.attempt(task, fireMillis, epoch.number()), definition(EVERY_MINUTE, more), 0, 0);
    }

    public static Run run(long task, long fireMillis) {
        return run(TestRuns.epoch(1), task, fireMillis);
    }
}
