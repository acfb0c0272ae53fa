package io.twinbell.node.engine.claim;

import java.time.Duration;

/**
 * Bounds how many waiting rows one statement claims, so that it takes about {@link #LONGEST}. The due slots of all apps
 * wait until it has ended, so long statements for the backlog of one app would delay the others. One thread only.
 */
final class ClaimPace {
    static final Duration LONGEST = Duration.ofMillis(100);
    /** A statement for so few rows is slow for another reason than their number. */
    static final int LEAST = 50;

    private final int most;
    private int rows;

    /** @param most the maximum number of rows, and the number to begin with */
    ClaimPace(int most) {
        this.most = most;
        rows = most;
    }

    /** How many rows the next statement may claim, {@link #LEAST} or more. */
    int rows() {
        return rows;
    }

    /** Learns from a statement that has ended. */
    void claimed(int claimed, Duration took) {
        if (took.compareTo(LONGEST) > 0 && claimed > LEAST) {
            rows = Math.max(LEAST, Math.min(rows, claimed) / 2);
        } else if (took.multipliedBy(2).compareTo(LONGEST) < 0) {
            rows = Math.min(most, 2 * rows);
        }
    }
}
