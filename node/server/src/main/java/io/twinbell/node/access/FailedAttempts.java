package io.twinbell.node.access;

import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts requests with unknown credentials and says how long each answer is delayed. The delay doubles with each
 * failure of an address, or of a /64 network of IPv6. Only failures are delayed: requests with valid credentials from the
 * same address are not.
 */
public final class FailedAttempts {
    private static final Logger LOG = LoggerFactory.getLogger(FailedAttempts.class);
    private static final int MOST_NETWORKS = 10_000;
    /** An attacker must not fill the log, however many addresses he has. */
    private static final int MOST_LINES = 10;

    private static final Duration LINES_WINDOW = Duration.ofMinutes(1);
    private static final Duration FIRST_DELAY = Duration.ofMillis(100);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(5);
    private static final Duration FORGOTTEN_AFTER = Duration.ofMinutes(10);
    /** Six doublings exceed the longest delay. */
    private static final int MOST_DOUBLINGS = 6;

    private final Ticker ticker;
    private final Map<String, NetworkFailures> byNetwork = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, NetworkFailures> eldest) {
            return size() > MOST_NETWORKS;
        }
    };
    private long total;
    private int lines;
    private long linesSinceNanos;
    private long unlogged;

    private record NetworkFailures(int count, long lastNanos) {}

    public FailedAttempts(Ticker ticker) {
        this.ticker = ticker;
        linesSinceNanos = ticker.nanos();
    }

    /** Records a failure of this address; returns how long the answer is delayed. */
    public synchronized Duration failed(String address) {
        String network = ClientNetwork.of(address);
        int count = count(network);
        log(network, count);
        Duration delay = FIRST_DELAY.multipliedBy(1L << Math.min(count - 1, MOST_DOUBLINGS));
        return delay.compareTo(LONGEST_DELAY) < 0 ? delay : LONGEST_DELAY;
    }

    private int count(String network) {
        long now = ticker.nanos();
        NetworkFailures before = byNetwork.get(network);
        boolean isFirst = before == null || now - before.lastNanos() > FORGOTTEN_AFTER.toNanos();
        int count = isFirst ? 1 : before.count() + 1;
        byNetwork.put(network, new NetworkFailures(count, now));
        total++;
        return count;
    }

    /** Logs only the first failure of a network, the second, the fourth and so on. */
    private void log(String network, int count) {
        long now = ticker.nanos();
        if (now - linesSinceNanos > LINES_WINDOW.toNanos()) {
            if (unlogged > 0) {
                LOG.warn(
                        "{} more lines about refused tokens were left out; the metric http_refused_tokens counts all"
                                + " refused tokens",
                        unlogged);
            }
            linesSinceNanos = now;
            lines = 0;
            unlogged = 0;
        }
        if (Integer.bitCount(count) != 1) {
            return;
        }
        if (lines < MOST_LINES) {
            lines++;
            LOG.warn("refused a token that is unknown, revoked or expired, from {} (failure {})", network, count);
        } else {
            unlogged++;
        }
    }

    /** The failures of all addresses since the start. */
    public synchronized long total() {
        return total;
    }
}
