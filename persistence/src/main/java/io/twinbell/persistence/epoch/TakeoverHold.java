package io.twinbell.persistence.epoch;

/**
 * The hold on automatic takeover: the role stays with its node until a person moves it by hand.
 *
 * @param untilMillis when it ends by itself; {@link Long#MAX_VALUE} if it lasts until it is released
 * @param leftMillis the remaining time when this was read; {@link Long#MAX_VALUE} if it has no end
 * @param by a person, or the node that received the request
 */
public record TakeoverHold(long sinceMillis, long untilMillis, long leftMillis, String reason, String by) {
    public boolean hasEnd() {
        return untilMillis != Long.MAX_VALUE;
    }

    /** The person and the reason, as a part of a sentence. */
    @Override
    public String toString() {
        return "by " + by + " (" + reason + ")";
    }
}
