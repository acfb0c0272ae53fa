package io.twinbell.spring;

import io.twinbell.handler.AttemptOutcome;
import io.twinbell.handler.InterceptedRun;
import io.twinbell.handler.TaskInterceptor;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes failed attempts to the application's log, because that is where developers look for an exception first. A
 * handler that fails thousands of times, with a stack each, would bury everything else. So each handler has at most ten
 * lines in a minute; further attempts are counted. Their number is written with the first attempt of any handler after
 * that minute, or at the end of the application.
 *
 * <p>It is no {@link TaskInterceptor} itself, because all beans of that type are added for all handlers.
 */
final class FailedAttemptLog implements AutoCloseable {
    static final int LINES = 10;
    static final Duration SPAN = Duration.ofMinutes(1);

    private static final Logger LOG = LoggerFactory.getLogger(FailedAttemptLog.class);

    private final LongSupplier nanos;
    /** By the key of the handler. The keys are those that the application registers, so the map is bounded. */
    private final Map<String, Span> spans = new ConcurrentHashMap<>();

    FailedAttemptLog() {
        this(System::nanoTime);
    }

    /** @param nanos a monotonic time in nanoseconds */
    FailedAttemptLog(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** The failed attempts of a handler since the first one of the span. */
    private record Span(long beganNanos, int attempts) {}

    TaskInterceptor interceptor() {
        return new TaskInterceptor() {
            @Override
            public void after(InterceptedRun run, AttemptOutcome outcome) {
                ended(run, outcome);
            }
        };
    }

    /** Writes what was left out and not reported yet. */
    @Override
    public void close() {
        spans.forEach(this::report);
    }

    private void ended(InterceptedRun run, AttemptOutcome outcome) {
        long now = nanos.getAsLong();
        spans.forEach((key, span) -> {
            if (now - span.beganNanos >= SPAN.toNanos()) {
                report(key, span);
            }
        });
        if (outcome.state().equals("FAILED") || outcome.state().equals("TIMED_OUT")) {
            failed(run, outcome, now);
        }
    }

    private void report(String key, Span span) {
        // Another thread may have counted an attempt meanwhile, or reported the span.
        if (spans.remove(key, span) && span.attempts > LINES) {
            LOG.warn("{} more failed attempts of handler {} were left out of the log", span.attempts - LINES, key);
        }
    }

    private void failed(InterceptedRun run, AttemptOutcome outcome, long now) {
        String key = String.valueOf(run.handlerKey());
        Span span = spans.compute(
                key, (same, last) -> last == null ? new Span(now, 1) : new Span(last.beganNanos, last.attempts + 1));
        if (span.attempts <= LINES) {
            LOG.warn(
                    "attempt {} of task {}/{} (handler {}, slot {}) {}, {}: {}",
                    run.attempt(),
                    run.app(),
                    run.name(),
                    key,
                    run.idempotencyKey(),
                    outcome.state(),
                    outcome.nextAttempt() == null
                            ? "no attempt follows, so it is a dead letter"
                            : "the next attempt is due at " + outcome.nextAttempt(),
                    outcome.error() == null ? outcome.errorCode() : outcome.error());
        }
        if (span.attempts == LINES + 1) {
            LOG.warn(
                    "handler {} has failed more than {} times in a minute: further attempts of this minute are left out"
                            + " of the log and counted",
                    key,
                    LINES);
        }
    }
}
