package io.twinbell.persistence.epoch;

/**
 * A person's request to move the role, which is valid even while automatic takeover is on hold.
 *
 * @param to the node that should get the role; null for any
 * @param by a person, or the node that received the request
 */
public record MoveRequest(String to, String by, String reason) {
    boolean allows(String node) {
        return to == null || to.equals(node);
    }

    /** The reason and the person, for the role history. */
    @Override
    public String toString() {
        return reason + " (asked by " + by + ")";
    }
}
