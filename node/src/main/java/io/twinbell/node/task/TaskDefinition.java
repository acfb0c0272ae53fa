package io.twinbell.node.task;

import io.twinbell.node.schedule.Schedule;
import java.time.Duration;

/**
 * What a task means, checked and ready to run by.
 *
 * @param maxRuns how many slots may be claimed to run; {@link #UNLIMITED} for as many as there are
 * @param timeout how long a run may take; null for as long as it likes
 * @param misfireThreshold how late the oldest overdue slot may be before all of them are one misfire; zero or more
 * @param data JSON text for the handler, or null
 */
public record TaskDefinition(
        Schedule schedule,
        long maxRuns,
        HandlerSpec handler,
        Duration timeout,
        Duration misfireThreshold,
        Overlap overlap,
        OrphanPolicy orphan,
        String data) {
    public static final long UNLIMITED = Long.MAX_VALUE;
}
