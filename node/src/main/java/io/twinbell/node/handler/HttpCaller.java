package io.twinbell.node.handler;

import io.twinbell.node.task.HandlerSpec;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** The {@code http} handler: thousands of calls in flight on two threads. */
final class HttpCaller implements AutoCloseable {
    private static final int THREADS = 2;
    private static final int KEPT_BYTES = 8192;
    private static final Duration WARM_UP = Duration.ofSeconds(1);

    private final ExecutorService executor;
    private final HttpClient client;

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

    /** What it answers, and whether it does, is of no interest. */
    void warmUp(URI url) {
        client.sendAsync(HttpRequest.newBuilder(url).timeout(WARM_UP).build(), info -> new FirstBytes(0));
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
