package io.twinbell.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLHandshakeException;

/**
 * Sends calls to the node that answered last, and to the other one when it does not answer. A call that must not be
 * repeated is tried again only if it certainly did not arrive.
 */
final class NodeCalls {
    private static final Set<Integer> TRY_AGAIN = Set.of(429, 502, 503, 504);
    private static final long FIRST_PAUSE_MILLIS = 25;
    private static final long LONGEST_PAUSE_MILLIS = 1000;
    private static final Duration SHORTEST_TRY = Duration.ofMillis(100);

    private final List<URI> nodes;
    private final String token;
    private final Duration timeout;
    private final HttpClient http;
    private final AtomicInteger preferred = new AtomicInteger();

    /**
     * One request to either node.
     *
     * @param path with its query
     * @param body null for none
     * @param repeatable whether a repetition after a lost answer has no further effect
     */
    record NodeCall(String method, String path, JsonNode body, boolean repeatable) {
        static NodeCall get(String path) {
            return new NodeCall("GET", path, null, true);
        }
    }

    NodeCalls(List<URI> nodes, String token, Duration timeout, HttpClient http) {
        this.nodes = nodes;
        this.token = token;
        this.timeout = timeout;
        this.http = http;
    }

    /** The stage fails with {@link PairUnavailableException} if no node answers in time. */
    CompletionStage<NodeAnswer> send(NodeCall call) {
        return new Tries(call, CallClock.in(timeout)).next();
    }

    NodeAnswer await(NodeCall call) {
        CompletableFuture<NodeAnswer> answer = send(call).toCompletableFuture();
        try {
            return answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PairUnavailableException("interrupted while waiting for a node", true, e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TaskClientException failure) {
                throw failure;
            }
            throw new PairUnavailableException("the call failed: " + e.getCause(), true, e.getCause());
        }
    }

    static Executor after(long millis) {
        return CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS);
    }

    /** The tries of one call, one after the other. */
    private final class Tries {
        private final NodeCall call;
        private final CallClock.Deadline deadline;
        private final int first = preferred.get();
        private int made;
        private boolean isAnswerLost;
        private String lastFailure = "none was tried";

        Tries(NodeCall call, CallClock.Deadline deadline) {
            this.call = call;
            this.deadline = deadline;
        }

        CompletionStage<NodeAnswer> next() {
            int node = Math.floorMod(first + made, nodes.size());
            made++;
            return http.sendAsync(request(nodes.get(node)), HttpResponse.BodyHandlers.ofString())
                    .handle((response, failure) -> response == null ? failed(node, failure) : answered(node, response))
                    .thenCompose(stage -> stage);
        }

        private HttpRequest request(URI node) {
            long share = Math.max(SHORTEST_TRY.toMillis(), Math.min(timeout.toMillis() / 2, deadline.leftMillis()));
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(node + call.path()))
                    .timeout(Duration.ofMillis(share))
                    .header("Accept", "application/json");
            if (token != null) {
                request.header("Authorization", "Bearer " + token);
            }
            if (call.body() == null) {
                return request.method(call.method(), HttpRequest.BodyPublishers.noBody())
                        .build();
            }
            return request.header("Content-Type", "application/json")
                    .method(
                            call.method(),
                            HttpRequest.BodyPublishers.ofString(call.body().toString()))
                    .build();
        }

        private CompletionStage<NodeAnswer> answered(int node, HttpResponse<String> response) {
            JsonNode body;
            try {
                body = response.body().isBlank() ? ClientJson.object() : ClientJson.read(response.body());
            } catch (IllegalArgumentException e) {
                body = ClientJson.object().put("detail", "the answer is not JSON");
            }
            if (TRY_AGAIN.contains(response.statusCode())) {
                String why = NodeAnswer.refusal(response.statusCode(), body).getMessage();
                return again(node, why, response.statusCode() != 429, null);
            }
            preferred.set(node);
            return CompletableFuture.completedFuture(new NodeAnswer(response.statusCode(), body, isAnswerLost));
        }

        private CompletionStage<NodeAnswer> failed(int node, Throwable failure) {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            boolean wasNotSent = cause instanceof ConnectException
                    || cause instanceof HttpConnectTimeoutException
                    || cause instanceof UnknownHostException
                    || cause instanceof SSLHandshakeException;
            if (!(cause instanceof IOException)) {
                return CompletableFuture.failedFuture(
                        new PairUnavailableException("the call failed: " + cause, true, cause));
            }
            return again(node, cause.toString(), !wasNotSent, cause);
        }

        private CompletionStage<NodeAnswer> again(int node, String why, boolean maybeDone, Throwable cause) {
            isAnswerLost |= maybeDone;
            lastFailure = nodes.get(node) + ": " + why;
            if (deadline.isOver() || maybeDone && !call.repeatable()) {
                String text =
                        call.method() + " " + call.path() + " failed after " + made + " tries; last " + lastFailure;
                return CompletableFuture.failedFuture(new PairUnavailableException(text, isAnswerLost, cause));
            }
            if (made % nodes.size() != 0) {
                return next();
            }
            int round = made / nodes.size();
            long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(round, 10));
            return CompletableFuture.supplyAsync(this::next, after(Math.min(pause, deadline.leftMillis())))
                    .thenCompose(stage -> stage);
        }
    }

    /**
     * What a node answered.
     *
     * @param afterLostAnswer whether an earlier try of the same call may have been carried out
     */
    record NodeAnswer(int status, JsonNode body, boolean afterLostAnswer) {
        boolean isSuccess() {
            return status >= 200 && status < 300;
        }

        /** Returns the body; throws the exception that corresponds to a refusal. */
        JsonNode required() {
            if (!isSuccess()) {
                throw refusal();
            }
            return body;
        }

        TaskRefusedException refusal() {
            return refusal(status, body);
        }

        /** Describes a problem of RFC 9457 with all its errors. */
        static TaskRefusedException refusal(int status, JsonNode problem) {
            StringBuilder text = new StringBuilder("status ").append(status);
            String detail = problem.path("detail").asText(problem.path("title").asText());
            if (!detail.isEmpty()) {
                text.append(": ").append(detail);
            }
            for (JsonNode error : problem.path("errors")) {
                String place =
                        error.path("pointer").asText(error.path("parameter").asText());
                text.append("; ")
                        .append(place)
                        .append(": ")
                        .append(error.path("detail").asText());
            }
            return new TaskRefusedException(status, text.toString(), null);
        }
    }
}
