package io.twinbell.node.access.oidc;

import io.twinbell.persistence.clock.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.SSLSocketFactory;
import org.jose4j.http.Get;
import org.jose4j.http.SimpleGet;
import org.jose4j.http.SimpleResponse;

/**
 * Sends requests to the provider. Each request is bounded, and its answer or failure is cached for a while. So a client
 * that sends invented tokens neither causes a request to the provider for each, nor blocks the API's threads while the
 * provider does not answer.
 */
final class ProviderHttp implements SimpleGet {
    private static final int ANSWER_MILLIS = 2000;
    private static final int MAX_BYTES = 1 << 20;

    private final Get http = new Get();
    private final Duration betweenRequests;
    private final Ticker ticker;
    private final Map<String, Result> latest = new HashMap<>();

    /** @param failure why there is no response; null if there is one */
    private record Result(SimpleResponse response, String failure, long nanos) {}

    /** @param sockets for TLS; null for those of the Java runtime */
    ProviderHttp(SSLSocketFactory sockets, Duration betweenRequests, Ticker ticker) {
        this.betweenRequests = betweenRequests;
        this.ticker = ticker;
        http.setConnectTimeout(ANSWER_MILLIS);
        http.setReadTimeout(ANSWER_MILLIS);
        http.setRetries(0);
        http.setResponseBodySizeLimit(MAX_BYTES);
        if (sockets != null) {
            http.setSslSocketFactory(sockets);
        }
    }

    @Override
    public synchronized SimpleResponse get(String location) throws IOException {
        Result known = latest.get(location);
        if (known == null || ticker.nanos() - known.nanos() >= betweenRequests.toNanos()) {
            known = ask(location);
            latest.put(location, known);
        }
        if (known.failure() != null) {
            throw new IOException(known.failure());
        }
        return known.response();
    }

    private Result ask(String location) {
        try {
            SimpleResponse response = http.get(location);
            return new Result(response, null, ticker.nanos());
        } catch (IOException e) {
            return new Result(null, location + ": " + e.getMessage(), ticker.nanos());
        }
    }
}
