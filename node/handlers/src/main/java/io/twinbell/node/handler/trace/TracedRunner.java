package io.twinbell.node.handler.trace;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.engine.task.HandlerDefinition;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.persistence.ledger.ExecutionState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * Creates an OpenTelemetry span for each attempt, in programs that have an OpenTelemetry SDK or run under its agent.
 * The handler's work on the worker thread is inside the span.
 */
public final class TracedRunner implements HandlerRunner {
    static final String SCOPE = "io.twinbell";
    static final AttributeKey<Long> TASK = AttributeKey.longKey("twinbell.task.id");
    static final AttributeKey<String> APP = AttributeKey.stringKey("twinbell.task.app");
    static final AttributeKey<String> NAME = AttributeKey.stringKey("twinbell.task.name");
    static final AttributeKey<String> SLOT = AttributeKey.stringKey("twinbell.slot");
    static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("twinbell.attempt");
    static final AttributeKey<String> NODE = AttributeKey.stringKey("twinbell.node");
    static final AttributeKey<Long> EPOCH = AttributeKey.longKey("twinbell.epoch");
    static final AttributeKey<String> STATE = AttributeKey.stringKey("twinbell.state");
    private static final String ENQUEUER_MEMBER = "$traceparent";
    private static final TextMapGetter<String> ENQUEUER_HEADER = new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(String traceparent) {
            return List.of("traceparent");
        }

        @Override
        public String get(String traceparent, String key) {
            return key.equals("traceparent") ? traceparent : null;
        }
    };

    private final HandlerRunner runner;
    private final Tracer tracer;

    TracedRunner(HandlerRunner runner, OpenTelemetry telemetry) {
        this.runner = runner;
        tracer = telemetry.getTracer(SCOPE);
    }

    /**
     * Returns the runner itself if neither an OpenTelemetry is given nor a global one is set; attempts then have no
     * extra cost.
     *
     * @param telemetry null for the global one
     */
    public static HandlerRunner around(HandlerRunner runner, OpenTelemetry telemetry) {
        if (telemetry != null) {
            return new TracedRunner(runner, telemetry);
        }
        return GlobalTelemetry.find()
                .<HandlerRunner>map(global -> new TracedRunner(runner, global))
                .orElse(runner);
    }

    @Override
    public String lacks(HandlerDefinition spec) {
        return runner.lacks(spec);
    }

    @Override
    public boolean observesOutcomes() {
        return runner.observesOutcomes();
    }

    @Override
    public void ended(HandlerCall call, HandlerOutcome outcome, Instant nextAttempt) {
        runner.ended(call, outcome, nextAttempt);
    }

    @Override
    public Duration waitForMissing() {
        return runner.waitForMissing();
    }

    @Override
    public CompletionStage<HandlerOutcome> start(HandlerCall call) throws Exception {
        SpanBuilder builder = tracer.spanBuilder("attempt " + type(call.spec())).setNoParent();
        SpanContext enqueuer = enqueuer(call.data());
        if (enqueuer.isValid()) {
            builder.addLink(enqueuer);
        }
        Span span = builder.setAttribute(TASK, call.slot().taskId())
                .setAttribute(APP, call.app())
                .setAttribute(NAME, call.name())
                .setAttribute(SLOT, call.slot().idempotencyKey())
                .setAttribute(ATTEMPT, (long) call.attempt())
                .setAttribute(NODE, call.epoch().node())
                .setAttribute(EPOCH, call.epoch().number())
                .startSpan();
        CompletionStage<HandlerOutcome> stage;
        Scope current = span.makeCurrent();
        try {
            stage = runner.start(call);
        } catch (Throwable thrown) {
            end(span, null, thrown);
            throw thrown;
        } finally {
            current.close();
        }
        // Returns the handler's own stage and not the dependent one, so that cancelling reaches it.
        stage.whenComplete((outcome, thrown) -> end(span, outcome, thrown));
        return stage;
    }

    private static void end(Span span, HandlerOutcome outcome, Throwable thrown) {
        if (thrown != null) {
            span.recordException(thrown);
            span.setStatus(StatusCode.ERROR);
        } else {
            span.setAttribute(STATE, outcome.state().name());
            if (outcome.state() == ExecutionState.FAILED || outcome.state() == ExecutionState.TIMED_OUT) {
                span.setStatus(StatusCode.ERROR, outcome.error() == null ? "" : outcome.error());
            }
        }
        span.end();
    }

    private static String type(HandlerDefinition spec) {
        if (spec instanceof HandlerSpec.HttpCall) {
            return "http";
        }
        if (spec instanceof HandlerSpec.JavaCode) {
            return "java";
        }
        if (spec instanceof HandlerSpec.LogLine) {
            return "log";
        }
        return spec.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    /** Adds the trace context of this thread's attempt to the headers, if the attempt is recorded. */
    public static void inject(Map<String, String> headers) {
        if (Span.current().isRecording()) {
            W3CTraceContextPropagator.getInstance().inject(Context.current(), headers, Map::put);
        }
    }

    /**
     * The trace in which a task was scheduled, which its data carries in the member {@code $traceparent}; an invalid
     * context if there is none.
     */
    private static SpanContext enqueuer(String data) {
        if (data == null || !data.contains(ENQUEUER_MEMBER)) {
            return SpanContext.getInvalid();
        }
        String traceparent;
        try {
            traceparent = StrictJson.read(data.getBytes(StandardCharsets.UTF_8))
                    .path(ENQUEUER_MEMBER)
                    .textValue();
        } catch (InvalidJsonException e) {
            return SpanContext.getInvalid();
        }
        Context scheduled =
                W3CTraceContextPropagator.getInstance().extract(Context.root(), traceparent, ENQUEUER_HEADER);
        return Span.fromContext(scheduled).getSpanContext();
    }
}
