package io.twinbell.node.task;

import io.twinbell.node.schedule.Schedule;
import io.twinbell.node.schedule.Schedules;
import io.twinbell.persistence.limit.LimitKey;
import java.time.Duration;
import java.util.List;

/**
 * What a task means, checked and ready to run by.
 *
 * @param maxRuns how many slots may be claimed to run; {@link #UNLIMITED} for as many as there are
 * @param timeout how long a run may take; null for as long as it likes
 * @param queueMax how many slots may wait for another run of the task; 0 unless they queue
 * @param data JSON text for the handler, or null
 * @param pauseOnFailure after how many failures in a row the task is paused; 0 for never
 * @param rank how it stands to other tasks
 * @param followers how many tasks follow its executions
 */
public record TaskDefinition(
        Schedule schedule,
        long maxRuns,
        HandlerSpec handler,
        Duration timeout,
        Misfire misfire,
        Retry retry,
        Overlap overlap,
        int queueMax,
        OrphanPolicy orphan,
        DoubtPolicy onDoubt,
        String data,
        int pauseOnFailure,
        Rank rank,
        Followers followers) {
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** The same task, to fire once and then. */
    TaskDefinition at(long millis) {
        return new TaskDefinition(
                Schedules.at(millis),
                maxRuns,
                handler,
                timeout,
                misfire,
                retry,
                overlap,
                queueMax,
                orphan,
                onDoubt,
                data,
                pauseOnFailure,
                rank,
                followers);
    }

    /**
     * The same, with what is equal in another one in common: of thousands that one program has written each start finds
     * that in the processor's cache. Not so of handlers with values from JSON, of which 1.1 and 1.10 are equal and not the
     * same.
     */
    public TaskDefinition sharing(TaskDefinition other) {
        return new TaskDefinition(
                same(schedule, other.schedule),
                maxRuns,
                handler instanceof HandlerSpec.JavaCode ? same(handler, other.handler) : handler,
                timeout,
                same(misfire, other.misfire),
                same(retry, other.retry),
                overlap,
                queueMax,
                orphan,
                onDoubt,
                data,
                pauseOnFailure,
                same(rank, other.rank),
                same(followers, other.followers));
    }

    private static <T> T same(T own, T other) {
        return own.equals(other) ? other : own;
    }

    /** Every key that a limit on the task may be set under. */
    public List<String> limitKeys(String app, List<String> tags) {
        String handlerKey = handler instanceof HandlerSpec.JavaCode code ? code.key() : null;
        return LimitKey.of(app, tags, handler.type(), handlerKey, rank.concurrencyKey());
    }
}
