package io.twinbell.persistence.epoch;

import java.time.Duration;
import java.util.UUID;

/**
 * The current epoch, its owner and its drain, read at one instant of the database's clock. Times are milliseconds.
 *
 * @param node null if no epoch was ever opened
 * @param drainingEpoch the latest epoch that may still record its runs, until {@code drainingUntilMillis}; 0 if
 *     none
 * @param resignedAgeMillis the time since the owner resigned; 0 if it has not
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
    /** An owner without a heartbeat for this long counts as lost. A heartbeat is written every 3 s. */
    public static final Duration ALIVE_FOR = Duration.ofSeconds(4);

    /** A row without instructions of a person. */
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

    /**
     * Whether people's instructions allow {@code candidate} to open the next epoch. Other conditions are not checked.
     */
    public boolean mayBeFollowedBy(String candidate) {
        return instructions.hold() == null
                || candidate.equals(node)
                || instructions.move() != null && instructions.move().allows(candidate);
    }
}
