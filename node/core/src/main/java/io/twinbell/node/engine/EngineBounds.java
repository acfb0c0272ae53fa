package io.twinbell.node.engine;

import java.time.Duration;

/**
 * How much an engine takes on.
 *
 * @param workers number of worker threads for handlers
 * @param maxInFlight how many runs this process takes on at once
 * @param retention how long the ledger keeps a row
 * @param firesPerMinute how many executions of an app may start in a minute; 0 for any number
 */
public record EngineBounds(int workers, int maxInFlight, Duration retention, int firesPerMinute) {
    /** Bounds without a quota of apps. */
    public EngineBounds(int workers, int maxInFlight, Duration retention) {
        this(workers, maxInFlight, retention, 0);
    }
}
