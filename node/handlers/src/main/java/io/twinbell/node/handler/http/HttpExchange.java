package io.twinbell.node.handler.http;

import io.twinbell.node.engine.handler.ErrorCodes;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.handler.TextLimit;
import io.twinbell.node.handler.secret.Secrets;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.task.definition.HandlerSpec.HttpRules;
import io.twinbell.node.template.HttpUrl;
import io.twinbell.node.template.TemplateException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.RequestNotExecutedException;

/** One attempt of an HTTP call, including the redirects that it may follow. */
final class HttpExchange implements FutureCallback<ReceivedResponse> {
    private static final int KEPT_BYTES = 8192;
    private static final int MAX_REDIRECTS = 5;
    private static final int MAX_UNSENT = 5;
    private static final int ACCEPTED = 202;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVICE_UNAVAILABLE = 503;
    private static final Executor AFTER_A_REST =
            CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS, Runnable::run);
    private static final Executor SECOND_CANCEL = CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS);

    private final HttpTransport wire;
    private final HttpRules rules;
    private final Secrets.SecretLookup secrets;
    private final Function<HttpUrl, Optional<String>> refusals;
    private final CompletableFuture<HandlerOutcome> outcome = new CompletableFuture<>();
    private HttpMessage current;
    private Future<?> underWay;
    private int redirects;
    private int unsent;

    /** @param refusals why a receiver may not be called; empty if it may */
    HttpExchange(
            HttpTransport wire,
            HttpRules rules,
            Secrets.SecretLookup secrets,
            Function<HttpUrl, Optional<String>> refusals) {
        this.wire = wire;
        this.refusals = refusals;
        this.rules = rules;
        this.secrets = secrets;
    }

    /** Starts the exchange; cancelling the returned future ends the call. */
    CompletableFuture<HandlerOutcome> begin(HttpMessage message) {
        send(message);
        outcome.whenComplete((done, thrown) -> {
            if (outcome.isCancelled()) {
                giveUp();
            }
        });
        return outcome;
    }

    private void sendLater(HttpMessage message) {
        try {
            wire.later(() -> sendOrFail(message));
        } catch (RejectedExecutionException e) {
            // The node stops.
            outcome.completeExceptionally(e);
        }
    }

    private void sendOrFail(HttpMessage message) {
        try {
            send(message);
        } catch (RuntimeException | Error e) {
            outcome.completeExceptionally(e);
        }
    }

    private synchronized void send(HttpMessage message) {
        if (outcome.isDone()) {
            return;
        }
        current = message;
        // Keeps more than is stored: the cut may leave half a secret at the end, which the masking would not find.
        underWay = wire.send(message, rules.connectTimeout(), KEPT_BYTES + secrets.longest(), this);
        if (outcome.isDone()) {
            giveUp();
        }
    }

    /**
     * Cancels the call twice: the client loses a cancellation that arrives while it goes from connecting to sending.
     * The second cancellation catches the sending.
     */
    private synchronized void giveUp() {
        Future<?> call = underWay;
        if (call != null) {
            call.cancel(true);
            SECOND_CANCEL.execute(() -> call.cancel(true));
        }
    }

    @Override
    public void completed(ReceivedResponse answer) {
        try {
            if (answer.end().isBroken()) {
                outcome.complete(fail(
                        ErrorCodes.CONNECTION_LOST,
                        "the response " + answer.status() + " broke off: "
                                + secrets.cover(answer.end().note()),
                        answer));
            } else if (rules.followRedirects() && answer.isRedirect()) {
                follow(answer);
            } else {
                outcome.complete(outcome(answer));
            }
        } catch (RuntimeException | Error e) {
            outcome.completeExceptionally(e);
        }
    }

    private void follow(ReceivedResponse answer) {
        HttpMessage from;
        synchronized (this) {
            from = current;
        }
        HttpUrl target;
        try {
            target = from.url().resolve(answer.location());
        } catch (TemplateException e) {
            outcome.complete(fail(
                    ErrorCodes.INVALID_RESPONSE,
                    "the receiver redirects to an invalid URL, which " + e.getMessage(),
                    answer));
            return;
        }
        String refusal = refusal(from.url(), target);
        if (refusal != null) {
            outcome.complete(fail(ErrorCodes.REFUSED, refusal, answer));
        } else {
            HttpMessage next = from.redirected(answer.status(), target);
            // Looking up its name may block.
            sendLater(next);
        }
    }

    private String refusal(HttpUrl from, HttpUrl target) {
        if (target.scheme().equals("http") && from.scheme().equals("https")) {
            return "the receiver redirects from https to http";
        }
        Optional<String> refusal = refusals.apply(target);
        if (refusal.isPresent()) {
            return "the receiver redirects to " + target.host() + ", but " + refusal.get();
        }
        return ++redirects > MAX_REDIRECTS ? "more than " + MAX_REDIRECTS + " redirects" : null;
    }

    private HandlerOutcome outcome(ReceivedResponse answer) {
        if (answer.status() == ACCEPTED && rules.completion() == HandlerSpec.HttpCompletion.CALLBACK) {
            return HandlerOutcome.parked();
        }
        if (rules.successCodes().contain(answer.status())) {
            return HandlerOutcome.succeeded(output(answer));
        }
        Duration wait = answer.status() == TOO_MANY_REQUESTS || answer.status() == SERVICE_UNAVAILABLE
                ? answer.askedWait()
                : Duration.ZERO;
        String error = "the receiver responded with " + answer.status()
                + (wait.isZero() ? "" : " and asks to wait " + wait.toSeconds() + " s");
        return fail(ErrorCodes.ofStatus(answer.status()), error, answer).asking(wait);
    }

    private HandlerOutcome fail(String code, String error, ReceivedResponse answer) {
        return HandlerOutcome.failed(code, error, output(answer));
    }

    private String output(ReceivedResponse answer) {
        String body = secrets.cover(answer.body().text());
        int most = answer.body().isCut() ? body.length() - secrets.longest() : body.length();
        String kept = TextLimit.to(Math.max(0, Math.min(KEPT_BYTES, most)), body);
        return "HTTP " + answer.status()
                + (answer.end().note() == null || answer.end().isBroken()
                        ? ""
                        : "\n[" + answer.end().note() + "]")
                + (kept.isEmpty() ? "" : "\n" + kept);
    }

    @Override
    public void failed(Exception cause) {
        if (cause instanceof RequestNotExecutedException && sendAgain()) {
            return;
        }
        if (InvalidResponse.is(cause)) {
            outcome.complete(HandlerOutcome.failed(
                    ErrorCodes.INVALID_RESPONSE, secrets.cover(InvalidResponse.describe(cause)), null));
            return;
        }
        String origin = cause.getCause() == null ? "" : ", caused by " + text(cause.getCause());
        outcome.complete(HandlerOutcome.failed(code(cause), secrets.cover(text(cause) + origin), null));
    }

    /** The code names the kind of the exception, so its class is shown only if there is no message. */
    private static String text(Throwable cause) {
        return cause.getMessage() == null || cause.getMessage().isBlank()
                ? cause.getClass().getSimpleName()
                : cause.getMessage();
    }

    private static String code(Exception cause) {
        if (cause instanceof CallTargets.TargetRefusedException) {
            return ErrorCodes.REFUSED;
        } else if (cause instanceof ProxiedCall.ProxyRefusedException) {
            return ErrorCodes.PROXY_REFUSED;
        } else if (cause instanceof UnknownHostException) {
            return ErrorCodes.UNKNOWN_HOST;
        } else if (cause instanceof ConnectTimeoutException) {
            return ErrorCodes.CONNECT_TIMEOUT;
        } else if (cause instanceof ConnectException) {
            return ErrorCodes.CONNECT_REFUSED;
        }
        return cause instanceof SSLException ? ErrorCodes.TLS_FAILED : ErrorCodes.CONNECTION_LOST;
    }

    /**
     * Resends a request that was never sent because the receiver had closed the kept connection. The receiver may have
     * closed hundreds at once, so the second and later tries wait until the client has noticed
     * the other closed connections.
     *
     * @return false after too many tries
     */
    private boolean sendAgain() {
        HttpMessage message;
        boolean isFirst;
        synchronized (this) {
            if (outcome.isDone() || ++unsent > MAX_UNSENT) {
                return false;
            }
            message = current;
            isFirst = unsent == 1;
        }
        Executor then = isFirst ? Runnable::run : AFTER_A_REST;
        then.execute(() -> sendLater(message));
        return true;
    }

    @Override
    public void cancelled() {
        outcome.cancel(false);
    }
}
