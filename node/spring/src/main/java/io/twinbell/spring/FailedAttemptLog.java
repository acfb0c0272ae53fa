package io.twinbell.spring;

import io.twinbell.handler.AttemptOutcome;
import io.twinbell.handler.InterceptedRun;
import io.twinbell.handler.TaskInterceptor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes each failed attempt to the application's log, because that is where developers look for an exception first. */
final class FailedAttemptLog implements TaskInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(FailedAttemptLog.class);

    @Override
    public void after(InterceptedRun run, AttemptOutcome outcome) {
        if (outcome.state().equals("FAILED") || outcome.state().equals("TIMED_OUT")) {
            LOG.warn(
                    "attempt {} of task {}/{} (handler {}, slot {}) {}: {}",
                    run.attempt(),
                    run.app(),
                    run.name(),
                    run.handlerKey(),
                    run.idempotencyKey(),
                    outcome.state(),
                    outcome.error() == null ? outcome.errorCode() : outcome.error());
        }
    }
}
