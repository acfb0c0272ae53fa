package io.twinbell.node.task;

import io.twinbell.node.schedule.Schedule;
import java.time.Duration;

/**
 * What a task means, checked and ready to run by.
 *
 * @param timeout how long a run may take; null for as long as it likes
 * @param misfireThreshold how late the oldest overdue slot may be before all of them are one misfire; zero or more
 * @param data JSON text for the handler, or null
 */
public record TaskDefinition(
        Schedule schedule,
        HandlerSpec handler,
        Duration timeout,
        Duration misfireThreshold,
        Overlap overlap,
        OrphanPolicy orphan,
        String data) {}
