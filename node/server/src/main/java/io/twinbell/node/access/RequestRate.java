package io.twinbell.node.access;

import io.twinbell.persistence.clock.Ticker;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Bounds the requests of each client. A client may send {@code perSecond} requests a second in the long run, and two
 * seconds' worth at once.
 */
public final class RequestRate {
    private static final int MOST_CLIENTS = 10_000;
    private static final double BURST_SECONDS = 2;
    private static final double NANOS = 1e9;

    private final int perSecond;
    private final Ticker ticker;
    private final Map<String, Allowance> allowances = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Allowance> eldest) {
            return size() > MOST_CLIENTS;
        }
    };
    private long refused;

    private record Allowance(double requests, long atNanos) {}

    public RequestRate(int perSecond, Ticker ticker) {
        this.perSecond = perSecond;
        this.ticker = ticker;
    }

    /** Counts a request of this client; returns whether it may go on. */
    public synchronized boolean admits(String client) {
        long now = ticker.nanos();
        double most = perSecond * BURST_SECONDS;
        Allowance before = allowances.get(client);
        double requests = before == null
                ? most
                : Math.min(most, before.requests() + (now - before.atNanos()) / NANOS * perSecond);
        boolean isAdmitted = requests >= 1;
        allowances.put(client, new Allowance(isAdmitted ? requests - 1 : requests, now));
        if (!isAdmitted) {
            refused++;
        }
        return isAdmitted;
    }

    public int perSecond() {
        return perSecond;
    }

    /** The refused requests since the start. */
    public synchronized long refused() {
        return refused;
    }
}
