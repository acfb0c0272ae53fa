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
}
