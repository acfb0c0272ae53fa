package io.twinbell.lab.fault.database;

import io.twinbell.tools.drill.ConditionPoll;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Many clients that send the same request to a node, and repeat it as soon as it is answered. */
final class RequestFlood {
    private static final Duration ANSWER = Duration.ofSeconds(15);
    /** Pause after a refused connection, so that a client does not retry in a tight loop. */
    private static final long AFTER_SILENCE_MILLIS = 100;

    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final HttpRequest request;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger served = new AtomicInteger();
    private volatile boolean goesHome;

    private RequestFlood(HttpRequest request) {
        this.request = request;
    }

    /** Starts the clients; each sends the merge patch. */
    static RequestFlood gather(int size, URI resource, Optional<String> token, String patch) {
        HttpRequest.Builder request = HttpRequest.newBuilder(resource)
                .timeout(ANSWER)
                .header("Content-Type", "application/merge-patch+json")
                .method("PATCH", BodyPublishers.ofString(patch));
        token.ifPresent(known -> request.header("Authorization", "Bearer " + known));
        RequestFlood requestFlood = new RequestFlood(request.build());
        requestFlood.waiting.set(size);
        for (int i = 0; i < size; i++) {
            requestFlood.ask();
        }
        return requestFlood;
    }

    private void ask() {
        client.sendAsync(request, BodyHandlers.discarding()).whenComplete(this::answered);
    }

    private void answered(HttpResponse<Void> answer, Throwable silence) {
        if (answer != null && answer.statusCode() / 100 == 2) {
            served.incrementAndGet();
        }
        if (goesHome) {
            waiting.decrementAndGet();
        } else if (silence == null) {
            ask();
        } else {
            CompletableFuture.delayedExecutor(AFTER_SILENCE_MILLIS, TimeUnit.MILLISECONDS)
                    .execute(this::ask);
        }
    }

    /** The number of successful requests. */
    int served() {
        return served.get();
    }

    /** Stops further requests. */
    void stop() {
        goesHome = true;
    }

    /** Returns when every request has been answered. */
    void awaitEmpty(ConditionPoll poll) throws DrillException, IOException {
        poll.until("every request to a node has a response", POLL_INTERVAL, () -> waiting.get() == 0);
    }
}
