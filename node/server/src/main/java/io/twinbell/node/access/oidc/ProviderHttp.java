package io.twinbell.node.access.oidc;

import io.twinbell.persistence.clock.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import javax.net.ssl.SSLSocketFactory;
import org.jose4j.http.Get;
import org.jose4j.http.SimpleGet;
import org.jose4j.http.SimpleResponse;

/**
 * Sends requests to the provider. Each request is bounded, and its answer or failure is cached for a while. So a client
 * that sends invented tokens does not cause a request to the provider for each. At most {@link #MOST_WAITING} threads
 * wait for an answer at the same time; further ones fail at once, so that a provider that does not answer leaves most
 * threads of the API free.
 */
final class ProviderHttp implements SimpleGet {
    static final int MOST_WAITING = ProviderKeys.MOST_WAITING;

    private static final int MAX_BYTES = 1 << 20;

    private final Get http = new Get();
    private final Duration betweenRequests;
    private final Ticker ticker;
    private final Map<String, Result> latest = new ConcurrentHashMap<>();
    private final Semaphore waiting = new Semaphore(MOST_WAITING);

    /**
     * @param failure why there is no response; null if there is one
     * @param askedNanos when the request was sent
     * @param nanos when it had ended
     */
    private record Result(SimpleResponse response, String failure, long askedNanos, long nanos) {}

    /**
     * @param sockets for TLS; null for those of the Java runtime
     * @param longestAnswer bounds the wait for a connection, and then for each part of the answer
     */
    ProviderHttp(SSLSocketFactory sockets, Duration betweenRequests, Duration longestAnswer, Ticker ticker) {
        this.betweenRequests = betweenRequests;
        this.ticker = ticker;
        http.setConnectTimeout((int) longestAnswer.toMillis());
        http.setReadTimeout((int) longestAnswer.toMillis());
        http.setRetries(0);
        http.setResponseBodySizeLimit(MAX_BYTES);
        if (sockets != null) {
            http.setSslSocketFactory(sockets);
        }
    }

    @Override
    public SimpleResponse get(String location) throws IOException {
        Result known = latest.get(location);
        if (isOld(known)) {
            if (!waiting.tryAcquire()) {
                throw new IOException(location + ": " + MOST_WAITING + " other requests wait for the answer");
            }
            try {
                known = newer(location);
            } finally {
                waiting.release();
            }
        }
        if (known.failure() != null) {
            throw new IOException(known.failure());
        }
        return known.response();
    }

    private boolean isOld(Result known) {
        return known == null || ticker.nanos() - known.nanos() >= betweenRequests.toNanos();
    }

    /** Whether the latest request was sent at this time of the ticker or later. */
    boolean isAskedSince(String location, long nanos) {
        Result known = latest.get(location);
        return known != null && known.askedNanos() - nanos >= 0;
    }

    /** How long the answer or failure is still used, before the provider is asked again. */
    Duration untilAskedAgain(String location) {
        Result known = latest.get(location);
        return known == null || isOld(known)
                ? Duration.ZERO
                : betweenRequests.minusNanos(ticker.nanos() - known.nanos());
    }

    /** One request at a time. A thread that has waited for another one's request uses its result. */
    private synchronized Result newer(String location) {
        Result known = latest.get(location);
        if (isOld(known)) {
            known = ask(location);
            latest.put(location, known);
        }
        return known;
    }

    private Result ask(String location) {
        long asked = ticker.nanos();
        try {
            SimpleResponse response = http.get(location);
            return new Result(response, null, asked, ticker.nanos());
        } catch (IOException e) {
            return new Result(null, location + ": " + e.getMessage(), asked, ticker.nanos());
        }
    }
}
