package io.twinbell.node.engine.handler;

import io.twinbell.node.engine.task.HandlerDefinition;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;
import java.util.List;

/**
 * One attempt of one slot, with everything that a handler needs to run it.
 *
 * @param data the task's data as JSON text, or null
 * @param startedMicros by the database's clock, microseconds since 1970 UTC
 * @param timeout the maximum duration; null for no limit
 * @param attemptReports collects what the attempt reports while it runs
 * @param attributes the values that interceptors set
 * @param parking lets the outcome come by a callback
 * @param logContext identifies the attempt in its log lines
 */
public record HandlerCall(
        Slot slot,
        String app,
        String name,
        List<String> tags,
        int attempt,
        Epoch epoch,
        HandlerDefinition spec,
        String data,
        long startedMicros,
        Duration timeout,
        AttemptReports attemptReports,
        RunAttributes attributes,
        Parking parking,
        RunLog logContext) {
    /** Sets the log context of this thread, with the attributes, until {@link RunLog#leave}. */
    public void enterLogContext() {
        logContext.enter();
        attributes.enterLogContext();
    }

    /** Wraps the work so that it runs with the call's log context on any thread. */
    public Runnable withLogContext(Runnable work) {
        return () -> {
            enterLogContext();
            try {
                work.run();
            } finally {
                RunLog.leave();
            }
        };
    }
}
