package io.twinbell.node.handler;

import io.twinbell.node.task.HandlerSpec;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;

/**
 * One attempt of one slot, as a handler sees it.
 *
 * @param data the task's data as JSON text, or null
 * @param startedMicros by the database's clock, microseconds since 1970 UTC
 * @param timeout how long it may take; null for as long as it likes
 * @param journal where the attempt reports while it runs
 * @param logContext whose attempt it is, for whatever is logged by it
 */
public record HandlerCall(
        Slot slot,
        String app,
        String name,
        int attempt,
        Epoch epoch,
        HandlerSpec spec,
        String data,
        long startedMicros,
        Duration timeout,
        AttemptReports attemptReports,
        RunLog logContext) {}
