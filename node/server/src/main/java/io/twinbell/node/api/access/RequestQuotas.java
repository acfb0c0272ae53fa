package io.twinbell.node.api.access;

import io.twinbell.node.access.RequestRate;
import io.twinbell.persistence.clock.Ticker;
import java.util.concurrent.atomic.LongAdder;

/**
 * The limits of the API, and the requests that each address and each principal has sent lately.
 *
 * @param tooManyPending requests that were refused because their client had too many unfinished ones
 */
public record RequestQuotas(
        HttpLimits limits, RequestRate ofAddress, RequestRate ofPrincipal, LongAdder tooManyPending) {

    public static RequestQuotas of(HttpLimits limits, Ticker ticker) {
        return new RequestQuotas(
                limits,
                new RequestRate(limits.rateOfAddress(), ticker),
                new RequestRate(limits.rateOfToken(), ticker),
                new LongAdder());
    }

    /** The requests that were refused since the start. */
    public long refused() {
        return ofAddress.refused() + ofPrincipal.refused() + tooManyPending.sum();
    }

    /**
     * Limits of the HTTP API. They bound what a faulty client can use up, far above what a working one needs, so they
     * are no settings.
     *
     * @param connectionsOfAddress open connections of an address; of IPv6, of a /64 network
     * @param pendingOfClient requests of a token or address that may run or wait
     * @param rateOfAddress requests of an address in a second
     * @param rateOfToken requests of a token in a second
     */
    public record HttpLimits(
            int connections, int connectionsOfAddress, int pendingOfClient, int rateOfAddress, int rateOfToken) {
        public static final HttpLimits DEFAULT = new HttpLimits(2000, 1000, 500, 10_000, 5000);
    }
}
