package io.twinbell.node.task;

import io.twinbell.node.schedule.Schedule;
import java.time.Duration;

/**
 * What a task means, checked and ready to run by.
 *
 * @param timeout how long a run may take; null for as long as it likes
 * @param data JSON text for the handler, or null
 */
public record TaskDefinition(
        Schedule schedule,
        HandlerSpec handler,
        Duration timeout,
        Misfire misfire,
        Retry retry,
        Overlap overlap,
        OrphanPolicy orphan,
        String data) {}
