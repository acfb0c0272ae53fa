package io.twinbell.node.handler.intercept;

import io.twinbell.handler.AttemptOutcome;
import io.twinbell.handler.InterceptedRun;
import io.twinbell.handler.ScopedInterceptor;
import io.twinbell.handler.TaskInterceptor;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.engine.handler.RunLog;
import io.twinbell.node.engine.handler.TextLimit;
import io.twinbell.node.engine.task.HandlerDefinition;
import io.twinbell.node.handler.call.CallContext;
import io.twinbell.node.handler.call.OwnClassLoader;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.node.task.definition.HandlerSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls interceptors before and after each attempt, in their order and back. */
public final class InterceptedRunner implements HandlerRunner {
    private static final Logger LOG = LoggerFactory.getLogger(InterceptedRunner.class);
    private static final int REASON_LIMIT = 500;

    private final HandlerRunner runner;
    private final List<ScopedInterceptor> interceptors;

    private InterceptedRunner(HandlerRunner runner, List<ScopedInterceptor> interceptors) {
        this.runner = runner;
        this.interceptors = List.copyOf(interceptors);
    }

    /** Returns the runner itself if there are no interceptors; attempts then have no extra cost. */
    public static HandlerRunner around(HandlerRunner runner, List<ScopedInterceptor> interceptors) {
        return interceptors.isEmpty() ? runner : new InterceptedRunner(runner, interceptors);
    }

    @Override
    public CompletionStage<HandlerOutcome> start(HandlerCall call) throws Exception {
        InterceptedCall run = new InterceptedCall(call);
        call.enterLogContext();
        try {
            for (int i = 0; i < interceptors.size(); i++) {
                ScopedInterceptor next = interceptors.get(i);
                String skipReason = next.scope().includes(run) ? before(next.interceptor(), run) : null;
                if (skipReason != null) {
                    return CompletableFuture.completedFuture(HandlerOutcome.skipped(skipReason));
                }
                call.attributes().passed(i + 1);
            }
        } finally {
            RunLog.leave();
        }
        return runner.start(call);
    }

    /** Returns null to proceed. */
    private static String before(TaskInterceptor interceptor, InterceptedRun run) throws Exception {
        TaskInterceptor.Decision decision = OwnClassLoader.call(interceptor, () -> interceptor.before(run));
        if (decision == null) {
            throw new IllegalStateException("the interceptor " + interceptor.name() + " decided nothing");
        }
        return decision.skipReason() == null
                ? null
                : HandlerOutcome.SKIPPED_BY + interceptor.name() + ": " + oneLine(decision.skipReason());
    }

    private static String oneLine(String reason) {
        return TextLimit.to(REASON_LIMIT, ControlCharacters.spaced(reason.strip()));
    }

    @Override
    public boolean observesOutcomes() {
        return true;
    }

    @Override
    public void ended(HandlerCall call, HandlerOutcome outcome, Instant nextAttempt) {
        InterceptedCall run = new InterceptedCall(call);
        AttemptOutcome attemptOutcome = new AttemptOutcome(
                outcome.state().name(),
                outcome.output(),
                outcome.error(),
                outcome.errorCode(),
                outcome.reason(),
                nextAttempt);
        for (int i = call.attributes().passed() - 1; i >= 0; i--) {
            ScopedInterceptor next = interceptors.get(i);
            try {
                if (next.scope().includes(run)) {
                    after(next.interceptor(), run, attemptOutcome);
                }
            } catch (Exception | Error e) {
                LOG.warn(
                        "an interceptor failed after {} of {}/{}: {}",
                        call.slot().idempotencyKey(),
                        call.app(),
                        call.name(),
                        e.toString());
                LOG.debug("failed", e);
            }
        }
    }

    private static void after(TaskInterceptor interceptor, InterceptedRun run, AttemptOutcome attemptOutcome)
            throws Exception {
        OwnClassLoader.call(interceptor, () -> {
            interceptor.after(run, attemptOutcome);
            return null;
        });
    }

    @Override
    public String lacks(HandlerDefinition spec) {
        return runner.lacks(spec);
    }

    @Override
    public Duration waitForMissing() {
        return runner.waitForMissing();
    }

    /** A call as interceptors see it. */
    private static final class InterceptedCall extends CallContext implements InterceptedRun {
        InterceptedCall(HandlerCall call) {
            super(call);
        }

        @Override
        public List<String> tags() {
            return call.tags();
        }

        @Override
        public String handlerType() {
            return call.spec().type();
        }

        @Override
        public String handlerKey() {
            return call.spec() instanceof HandlerSpec.JavaCode code ? code.key() : null;
        }

        @Override
        public void attribute(String name, String value) {
            call.attributes().put(name, value);
        }
    }
}
