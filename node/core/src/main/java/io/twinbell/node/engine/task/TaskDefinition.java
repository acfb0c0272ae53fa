package io.twinbell.node.engine.task;

import io.twinbell.persistence.limit.LimitKey;
import java.time.Duration;
import java.util.List;

/**
 * The parsed and validated definition of a task.
 *
 * @param maxRuns the maximum number of claimed slots; {@link #UNLIMITED} for no limit
 * @param timeout the maximum duration of a run; null for no limit
 * @param expireAfter how long after its fire time a slot may start; null for no limit
 * @param queueMax the maximum number of slots that wait for another run of the task; 0 unless they queue
 * @param data JSON text for the handler, or null
 * @param pauseOnFailure the number of consecutive failures after which the task is paused; 0 for never
 * @param contentionPolicy priority and concurrency key
 * @param followers the number of tasks that follow its executions
 */
public record TaskDefinition(
        Schedule schedule,
        long maxRuns,
        HandlerDefinition handler,
        Duration timeout,
        Duration expireAfter,
        Misfire misfire,
        Retry retry,
        Overlap overlap,
        int queueMax,
        OrphanPolicy orphan,
        DoubtPolicy onDoubt,
        String data,
        int pauseOnFailure,
        ContentionPolicy contentionPolicy,
        Followers followers) {
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** Returns the same task with another schedule and other data. */
    public TaskDefinition with(Schedule otherSchedule, String otherData) {
        return new TaskDefinition(
                otherSchedule,
                maxRuns,
                handler,
                timeout,
                expireAfter,
                misfire,
                retry,
                overlap,
                queueMax,
                orphan,
                onDoubt,
                otherData,
                pauseOnFailure,
                contentionPolicy,
                followers);
    }

    /** Whether a slot of this fire time may not start any more, because it has expired. */
    public boolean isExpired(long fireMillis, long nowMillis) {
        return expireAfter != null && nowMillis - fireMillis > expireAfter.toMillis();
    }

    /** Returns every key for which a limit that applies to the task can be set. */
    public List<String> limitKeys(String app, List<String> tags) {
        return LimitKey.of(app, tags, handler.type(), handler.key(), contentionPolicy.concurrencyKey());
    }
}
