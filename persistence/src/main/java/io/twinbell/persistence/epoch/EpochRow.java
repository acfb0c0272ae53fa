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
 * @param hold null unless automatic takeover is on hold now
 * @param move null unless a person recently asked the owner of the current epoch to hand over
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
        TakeoverHold hold,
        MoveRequest move) {
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
        this(epoch, node, incarnation, resigned, heartbeatAgeMillis, drainingEpoch, drainingUntilMillis, 0, null, null);
    }

    public boolean isOwnerAlive() {
        return node != null && !resigned && heartbeatAgeMillis < ALIVE_FOR.toMillis();
    }

    /**
     * Whether people's instructions allow {@code candidate} to open the next epoch. Other conditions are not checked.
     */
    public boolean mayBeFollowedBy(String candidate) {
        return hold == null || candidate.equals(node) || move != null && move.allows(candidate);
    }
}
