package io.twinbell.node.handler.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The trace in which a task was scheduled. The data of the task carries it in the member {@code $traceparent}. */
final class EnqueuerTrace {
    private static final String MEMBER = "$traceparent";

    private static final TextMapGetter<String> HEADER = new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(String traceparent) {
            return List.of("traceparent");
        }

        @Override
        public String get(String traceparent, String key) {
            return key.equals("traceparent") ? traceparent : null;
        }
    };

    private EnqueuerTrace() {}

    /** Returns an invalid context if the data has none. */
    static SpanContext of(String data) {
        if (data == null || !data.contains(MEMBER)) {
            return SpanContext.getInvalid();
        }
        String traceparent;
        try {
            traceparent = StrictJson.read(data.getBytes(StandardCharsets.UTF_8))
                    .path(MEMBER)
                    .textValue();
        } catch (InvalidJsonException e) {
            return SpanContext.getInvalid();
        }
        Context scheduled = W3CTraceContextPropagator.getInstance().extract(Context.root(), traceparent, HEADER);
        return Span.fromContext(scheduled).getSpanContext();
    }
}
