package io.twinbell.node.handler;

import io.twinbell.node.task.HandlerSpec;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The {@code http} handler: thousands of calls in flight on two threads. */
final class HttpCaller implements AutoCloseable {
    private static final int THREADS = 2;
    private static final int KEPT_BYTES = 8192;
    private static final Duration WARM_UP = Duration.ofSeconds(1);
    static final int THOROUGH_WARM_UPS = 3;
    static final int CALLS_OF_THESE = 100;
    private static final Slot NOBODYS = new Slot(0, 0);

    private final ExecutorService executor;
    private final HttpClient client;
    private final AtomicInteger warmUps = new AtomicInteger();

    HttpCaller() {
        AtomicInteger number = new AtomicInteger();
        executor = Executors.newFixedThreadPool(THREADS, work -> {
            Thread thread = new Thread(work, "http-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        client = HttpClient.newBuilder()
                .executor(executor)
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(Duration.ofSeconds(10))
                .build();
    }

    CompletionStage<Outcome> start(Call call, HandlerSpec.HttpCall spec) {
        CompletableFuture<HttpResponse<byte[]>> answer =
                client.sendAsync(request(call, spec), info -> new FirstBytes(KEPT_BYTES));
        CompletableFuture<Outcome> outcome = answer.handle(HttpCaller::outcome);
        // Cancelling the derived future must end the call itself.
        outcome.whenComplete((done, thrown) -> {
            if (outcome.isCancelled()) {
                answer.cancel(true);
            }
        });
        return outcome;
    }

    /**
     * Calls a URL as a handler would, one call after the other; what it answers is of no interest. The first times it
     * does so often, until the client's code has been compiled: in a young process the first call of a new master took
     * a tenth of a second longer.
     */
    void warmUp(URI url) {
        int round = warmUps.getAndIncrement();
        warmUp(new HandlerSpec.HttpCall("GET", url, Map.of(), null), round < THOROUGH_WARM_UPS ? CALLS_OF_THESE : 1);
    }

    private void warmUp(HandlerSpec.HttpCall spec, int times) {
        if (times > 0) {
            Call call = new Call(NOBODYS, "", "", 1, 0, spec, null);
            start(call, spec)
                    .toCompletableFuture()
                    .orTimeout(WARM_UP.toMillis(), TimeUnit.MILLISECONDS)
                    .thenAccept(outcome -> {
                        if (outcome.state() == ExecutionState.SUCCEEDED) {
                            warmUp(spec, times - 1);
                        }
                    });
        }
    }

    private static HttpRequest request(Call call, HandlerSpec.HttpCall spec) {
        HttpRequest.BodyPublisher body = spec.body() == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(spec.body(), StandardCharsets.UTF_8);
        HttpRequest.Builder request = HttpRequest.newBuilder(spec.url()).method(spec.method(), body);
        spec.headers().forEach(request::setHeader);
        request.setHeader("Idempotency-Key", call.slot().idempotencyKey());
        request.setHeader("Twinbell-Attempt", Integer.toString(call.attempt()));
        request.setHeader("Twinbell-Epoch", Long.toString(call.epoch()));
        request.setHeader("Twinbell-Fire-Time", call.slot().fireTime());
        request.setHeader("Twinbell-Task", Long.toString(call.slot().taskId()));
        return request.build();
    }

    private static Outcome outcome(HttpResponse<byte[]> response, Throwable thrown) {
        if (thrown != null) {
            Throwable cause = thrown.getCause() == null ? thrown : thrown.getCause();
            String origin = cause.getCause() == null ? "" : ", caused by " + cause.getCause();
            return Outcome.failed(cause + origin, null);
        }
        String body = new String(response.body(), StandardCharsets.UTF_8);
        String output = "HTTP " + response.statusCode() + (body.isEmpty() ? "" : "\n" + body);
        boolean isSuccess = response.statusCode() / 100 == 2;
        return isSuccess
                ? Outcome.succeeded(output)
                : Outcome.failed("the receiver answered " + response.statusCode(), output);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
