package io.twinbell.client;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.UnaryOperator;

/**
 * Builds and stores one task step by step: {@code tasks.schedule(CLOSE,
 * invoice).in(Duration.ofHours(48)).named("order-4711")}. Nothing is stored before {@link #named} or {@link #unnamed}.
 * Without a time, the task fires at once. Instances are immutable.
 */
public final class TaskScheduling {
    private final TaskClient client;
    private final TaskDraft draft;
    private final IfTaskExists ifExists;

    TaskScheduling(TaskClient client, TaskDraft draft, IfTaskExists ifExists) {
        this.client = client;
        this.draft = draft;
        this.ifExists = ifExists;
    }

    /** Fires once, after this delay. */
    public TaskScheduling in(Duration delay) {
        return on(TaskSchedule.in(delay));
    }

    /** Fires once, at this instant. */
    public TaskScheduling at(Instant instant) {
        return on(TaskSchedule.at(instant));
    }

    public TaskScheduling on(TaskSchedule schedule) {
        return with(task -> task.schedule(schedule));
    }

    /** Sets further fields: {@code with(task -> task.retry(RetryPolicy.attempts(5)).tags("nightly"))}. */
    public TaskScheduling with(UnaryOperator<TaskDraft> change) {
        return new TaskScheduling(client, change.apply(draft), ifExists);
    }

    /** Default: KEEP, so that repeating the call changes nothing while the task will still fire. */
    public TaskScheduling ifExists(IfTaskExists policy) {
        return new TaskScheduling(client, draft, policy);
    }

    /** Returns the task that is described so far, for {@link TaskClient#addAll}. */
    public TaskDraft draft() {
        return draft;
    }

    /**
     * Stores the task under this name.
     *
     * @throws TaskRefusedException if the task is not valid, or exists and must not
     * @throws PairUnavailableException if nothing answered in time
     */
    public StoredTask named(String name) {
        return client.put(draft.name(name), ifExists);
    }

    /** Stores the task under a random name. */
    public StoredTask unnamed() {
        return client.put(draft.name(UUID.randomUUID().toString()), IfTaskExists.KEEP);
    }
}
