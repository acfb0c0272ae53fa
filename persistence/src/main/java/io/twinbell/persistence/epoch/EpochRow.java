package io.twinbell.persistence.epoch;

import java.time.Duration;
import java.util.UUID;

/**
 * Who owns the cluster, as the database tells it at one instant of its own clock. Times are milliseconds.
 *
 * @param node null if no epoch was ever opened
 * @param drainingEpoch the latest epoch that may still record what it finishes, until {@code drainingUntilMillis}; 0 if none
 * @param resignedAgeMillis how long ago the owner resigned; 0 if it has not
 */
public record EpochRow(
        long epoch,
        String node,
        UUID incarnation,
        boolean resigned,
        long heartbeatAgeMillis,
        long drainingEpoch,
        long drainingUntilMillis,
        long resignedAgeMillis,
        RoleInstructions instructions) {
    /** An owner that has not beaten for this long counts as gone. A beat comes every 3 s. */
    public static final Duration ALIVE_FOR = Duration.ofSeconds(4);

    /** One about which nobody has decided anything by hand. */
    public EpochRow(
            long epoch,
            String node,
            UUID incarnation,
            boolean resigned,
            long heartbeatAgeMillis,
            long drainingEpoch,
            long drainingUntilMillis) {
        this(
                epoch,
                node,
                incarnation,
                resigned,
                heartbeatAgeMillis,
                drainingEpoch,
                drainingUntilMillis,
                0,
                RoleInstructions.NONE);
    }

    public boolean isOwnerAlive() {
        return node != null && !resigned && heartbeatAgeMillis < ALIVE_FOR.toMillis();
    }

    /** Whether {@code candidate} may open the next epoch as far as people have decided; what else it takes is another matter. */
    public boolean mayBeFollowedBy(String candidate) {
        return instructions.hold() == null
                || candidate.equals(node)
                || instructions.move() != null && instructions.move().allows(candidate);
    }
}
