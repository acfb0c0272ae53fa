package io.twinbell.persistence.epoch;

/**
 * Automatic takeover is on hold: the role stays with the node that has it, until somebody moves it by hand.
 *
 * @param untilMillis when it ends by itself; {@link Long#MAX_VALUE} for when somebody releases it
 * @param leftMillis how long that is from the instant at which this was read; {@link Long#MAX_VALUE} if it has no end
 * @param by a person, or the node that was asked
 */
public record TakeoverHold(long sinceMillis, long untilMillis, long leftMillis, String reason, String by) {
    public boolean hasEnd() {
        return untilMillis != Long.MAX_VALUE;
    }

    /** Who put it on hold and why, for a sentence. */
    @Override
    public String toString() {
        return "by " + by + " (" + reason + ")";
    }
}
