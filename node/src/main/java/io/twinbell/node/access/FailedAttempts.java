package io.twinbell.node.access;

import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts requests with unknown credentials and says how long each answer is delayed. The delay doubles with each
 * failure of an address. Only failures are delayed: requests with valid credentials from the same address are not.
 */
public final class FailedAttempts {
    private static final Logger LOG = LoggerFactory.getLogger(FailedAttempts.class);
    private static final int MOST_ADDRESSES = 1000;
    private static final Duration FIRST_DELAY = Duration.ofMillis(100);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(5);
    private static final Duration FORGOTTEN_AFTER = Duration.ofMinutes(10);
    /** Six doublings exceed the longest delay. */
    private static final int MOST_DOUBLINGS = 6;

    private final Ticker ticker;
    private final Map<String, AddressFailures> byAddress = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, AddressFailures> eldest) {
            return size() > MOST_ADDRESSES;
        }
    };
    private long total;

    private record AddressFailures(int count, long lastNanos) {}

    public FailedAttempts(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Records a failure of this address; returns how long the answer is delayed. */
    public Duration failed(String address) {
        int count = count(address);
        // Logs only the first failure, the second, the fourth and so on: an attacker must not fill the log.
        if (Integer.bitCount(count) == 1) {
            LOG.warn("refused a token that is unknown, revoked or expired, from {} (failure {})", address, count);
        }
        Duration delay = FIRST_DELAY.multipliedBy(1L << Math.min(count - 1, MOST_DOUBLINGS));
        return delay.compareTo(LONGEST_DELAY) < 0 ? delay : LONGEST_DELAY;
    }

    private synchronized int count(String address) {
        long now = ticker.nanos();
        AddressFailures before = byAddress.get(address);
        boolean isFirst = before == null || now - before.lastNanos() > FORGOTTEN_AFTER.toNanos();
        int count = isFirst ? 1 : before.count() + 1;
        byAddress.put(address, new AddressFailures(count, now));
        total++;
        return count;
    }

    /** The failures of all addresses since the start. */
    public synchronized long total() {
        return total;
    }
}
