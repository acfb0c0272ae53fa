package io.twinbell.client;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.UnaryOperator;

/**
 * A task that is described, and not stored until {@link #named} or {@link #unnamed} ends the chain: {@code
 * tasks.schedule(CLOSE, invoice).in(Duration.ofHours(48)).named("order-4711")}. Without a time, the task fires at once.
 * Instances are immutable, so a step whose result is ignored has no effect.
 */
public final class TaskScheduling {
    private final TaskClient client;
    private final TaskDraft draft;
    private final IfTaskExists ifExists;

    /**
     * Marks a method whose effect is its result alone. IntelliJ IDEA and Error Prone know an annotation of this name in
     * any package, and warn of a call whose result is ignored.
     */
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @interface CheckReturnValue {}

    TaskScheduling(TaskClient client, TaskDraft draft, IfTaskExists ifExists) {
        this.client = client;
        this.draft = draft;
        this.ifExists = ifExists;
    }

    /** Fires once, after this delay. */
    @CheckReturnValue
    public TaskScheduling in(Duration delay) {
        return on(TaskSchedule.in(delay));
    }

    /** Fires once, at this instant. */
    @CheckReturnValue
    public TaskScheduling at(Instant instant) {
        return on(TaskSchedule.at(instant));
    }

    /** Fires by this schedule. */
    @CheckReturnValue
    public TaskScheduling on(TaskSchedule schedule) {
        return with(task -> task.schedule(schedule));
    }

    /** Sets further fields: {@code with(task -> task.retry(RetryPolicy.attempts(5)).tags("nightly"))}. */
    @CheckReturnValue
    public TaskScheduling with(UnaryOperator<TaskDraft> change) {
        return new TaskScheduling(client, change.apply(draft), ifExists);
    }

    /** Default: KEEP, so that repeating the call changes nothing while the task will still fire. */
    @CheckReturnValue
    public TaskScheduling ifExists(IfTaskExists policy) {
        return new TaskScheduling(client, draft, policy);
    }

    /** Returns the task that is described so far, for {@link TaskClient#addAll}. */
    @CheckReturnValue
    public TaskDraft draft() {
        return draft;
    }

    /**
     * Stores the task under this name, which ends the chain.
     *
     * @throws TaskRefusedException if the task is not valid, or exists and must not
     * @throws PairUnavailableException if nothing answered in time
     */
    public StoredTask named(String name) {
        return client.put(draft.name(name), ifExists);
    }

    /**
     * Stores the task under a random name, which ends the chain.
     *
     * @throws TaskRefusedException if the task is not valid
     * @throws PairUnavailableException if nothing answered in time
     */
    public StoredTask unnamed() {
        return client.put(draft.name(UUID.randomUUID().toString()), IfTaskExists.KEEP);
    }
}
