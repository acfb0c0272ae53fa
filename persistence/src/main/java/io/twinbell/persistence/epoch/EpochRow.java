package io.twinbell.persistence.epoch;

import java.time.Duration;
import java.util.UUID;

/**
 * Who owns the cluster, as the database tells it at one instant of its own clock. Times are milliseconds.
 *
 * @param node null if no epoch was ever opened
 * @param drainingEpoch the epoch that may still record what it finishes, until {@code drainingUntilMillis}; 0 if none
 */
public record EpochRow(
        long epoch,
        String node,
        UUID incarnation,
        boolean resigned,
        long heartbeatAgeMillis,
        long drainingEpoch,
        long drainingUntilMillis) {
    /** An owner that has not beaten for this long counts as gone. A beat comes every 3 s. */
    public static final Duration ALIVE_FOR = Duration.ofSeconds(4);

    public boolean isOwnerAlive() {
        return node != null && !resigned && heartbeatAgeMillis < ALIVE_FOR.toMillis();
    }
}
