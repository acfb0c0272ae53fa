package io.twinbell.persistence.epoch;

/**
 * A person wants the role to move, also while takeovers are on hold.
 *
 * @param to the node that should have it; null for any
 * @param by a person, or the node that was asked
 */
public record MoveRequest(String to, String by, String reason) {
    boolean allows(String node) {
        return to == null || to.equals(node);
    }

    /** Why, and who asked, for the role history. */
    @Override
    public String toString() {
        return reason + " (asked by " + by + ")";
    }
}
