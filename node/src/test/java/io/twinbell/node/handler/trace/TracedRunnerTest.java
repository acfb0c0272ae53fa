package io.twinbell.node.handler.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.handler.http.HttpCaller;
import io.twinbell.node.handler.http.HttpCalls;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.task.definition.StatusCodes;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an OpenTelemetry SDK records of attempts. */
@Timeout(30)
class TracedRunnerTest {
    private static final HandlerCall CALL = HttpCalls.call(new HandlerSpec.JavaCode("k"), null);

    private static final Pattern TRACEPARENT = Pattern.compile("00-([0-9a-f]{32})-([0-9a-f]{16})-0[13]");

    private final BlockingQueue<SpanData> ended = new LinkedBlockingQueue<>();

    @Test
    void an_attempt_is_a_span_that_names_task_slot_node_and_epoch() throws Exception {
        HandlerOutcome outcome = HandlerOutcome.succeeded("done");
        traced(call -> CompletableFuture.completedFuture(outcome)).start(CALL);
        SpanData span = ended.remove();
        assertEquals("attempt java", span.getName());
        assertEquals(7, span.getAttributes().get(TracedRunner.TASK));
        assertEquals("app", span.getAttributes().get(TracedRunner.APP));
        assertEquals("name", span.getAttributes().get(TracedRunner.NAME));
        assertEquals("7/2026-03-29T01:00:00.000Z", span.getAttributes().get(TracedRunner.SLOT));
        assertEquals(3, span.getAttributes().get(TracedRunner.ATTEMPT));
        assertEquals("a", span.getAttributes().get(TracedRunner.NODE));
        assertEquals(42, span.getAttributes().get(TracedRunner.EPOCH));
        assertEquals("SUCCEEDED", span.getAttributes().get(TracedRunner.STATE));
        assertEquals(StatusCode.UNSET, span.getStatus().getStatusCode());
    }

    @Test
    void an_attempt_has_a_link_to_the_trace_that_scheduled_its_task() throws Exception {
        HandlerRunner runner = traced(call -> CompletableFuture.completedFuture(HandlerOutcome.succeeded(null)));
        runner.start(HttpCalls.call(
                new HandlerSpec.JavaCode("k"),
                "{\"n\": 1, \"$traceparent\": \"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\"}"));
        SpanData span = ended.remove();
        assertEquals("b7ad6b7169203331", span.getLinks().get(0).getSpanContext().getSpanId());
        assertFalse(span.getParentSpanContext().isValid());
        for (String data : List.of("{\"$traceparent\": 7}", "{\"$traceparent\": \"no trace\"}", "[\"$traceparent\"]")) {
            runner.start(HttpCalls.call(new HandlerSpec.JavaCode("k"), data));
            assertEquals(List.of(), ended.remove().getLinks());
        }
    }

    @Test
    void the_span_ends_when_the_handler_has_ended_and_tells_its_failure() throws Exception {
        CompletableFuture<HandlerOutcome> later = new CompletableFuture<>();
        assertSame(later, traced(call -> later).start(CALL), "who cancels must reach the handler's own future");
        assertTrue(ended.isEmpty());
        later.complete(HandlerOutcome.failed("HTTP_500", "the receiver responded with 500", null));
        SpanData span = ended.remove();
        assertEquals(StatusCode.ERROR, span.getStatus().getStatusCode());
        assertEquals("the receiver responded with 500", span.getStatus().getDescription());
    }

    @Test
    void a_cancelled_call_ends_its_span_with_an_error_and_leaves_the_state_to_the_ledger() throws Exception {
        CompletableFuture<HandlerOutcome> call = new CompletableFuture<>();
        traced(ignored -> call).start(CALL);
        call.cancel(true);
        SpanData span = ended.remove();
        assertEquals(StatusCode.ERROR, span.getStatus().getStatusCode());
        assertNull(span.getAttributes().get(TracedRunner.STATE));
    }

    @Test
    void a_handlers_exception_ends_the_span_and_is_rethrown() {
        IllegalStateException thrown = new IllegalStateException("no");
        HandlerRunner failing = traced(call -> {
            throw thrown;
        });
        assertSame(thrown, assertThrows(IllegalStateException.class, () -> failing.start(CALL)));
        assertEquals(StatusCode.ERROR, ended.remove().getStatus().getStatusCode());
        assertFalse(Span.current().getSpanContext().isValid(), "nothing of it stays on the worker's thread");
    }

    @Test
    void an_http_call_carries_the_trace_on_to_its_receiver() throws Exception {
        Matcher header = TRACEPARENT.matcher(header(Sampler.alwaysOn()));
        assertTrue(header.matches());
        SpanData span = ended.take();
        assertEquals(span.getTraceId(), header.group(1));
        assertEquals(span.getSpanId(), header.group(2));
    }

    @Test
    void a_trace_that_is_not_recorded_adds_nothing_to_the_call() throws Exception {
        assertNull(header(Sampler.alwaysOff()));
    }

    @Test
    void without_an_sdk_the_handlers_are_called_directly() {
        HandlerRunner handlers = call -> CompletableFuture.completedFuture(HandlerOutcome.succeeded(null));
        assertSame(handlers, TracedRunner.around(handlers, null));
    }

    /** What the receiver of a real call gets as traceparent. */
    private String header(Sampler sampler) throws Exception {
        BlockingQueue<List<String>> received = new LinkedBlockingQueue<>();
        HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/", exchange -> {
            received.add(exchange.getRequestHeaders().getOrDefault("traceparent", List.of()));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        receiver.start();
        try (HttpCaller caller = HttpCalls.caller(List.of(), Map.of())) {
            HandlerSpec.HttpCall spec = HttpCalls.spec(
                    "GET",
                    "http://127.0.0.1:" + receiver.getAddress().getPort() + "/",
                    Map.of(),
                    null,
                    new HandlerSpec.HttpRules(new StatusCodes(List.of("2xx")), Duration.ofSeconds(10), false, null));
            traced(call -> caller.start(call, spec), sampler)
                    .start(CALL)
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS);
            return received.take().stream().findFirst().orElse(null);
        } finally {
            receiver.stop(0);
        }
    }

    private HandlerRunner traced(HandlerRunner runner) {
        return traced(runner, Sampler.alwaysOn());
    }

    private HandlerRunner traced(HandlerRunner runner, Sampler sampler) {
        SdkTracerProvider provider = SdkTracerProvider.builder()
                .setSampler(sampler)
                .addSpanProcessor(new Collector())
                .build();
        return new TracedRunner(
                runner, OpenTelemetrySdk.builder().setTracerProvider(provider).build());
    }

    private final class Collector implements SpanProcessor {
        @Override
        public void onStart(Context parent, ReadWriteSpan span) {
            // Only what has ended is of interest.
        }

        @Override
        public boolean isStartRequired() {
            return false;
        }

        @Override
        public void onEnd(ReadableSpan span) {
            ended.add(span.toSpanData());
        }

        @Override
        public boolean isEndRequired() {
            return true;
        }
    }
}
