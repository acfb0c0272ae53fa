package io.twinbell.node.alert.store;

/** The state of a delivery. */
public enum DeliveryState {
    /** Events are still added to it. */
    GATHERING,
    /** It waits for its next attempt. */
    PENDING,
    /** An attempt is in progress, or was when its master died. */
    SENDING,
    DELIVERED,
    /** The last permitted attempt failed. */
    GIVEN_UP,
    /** It contains the events of a silence and is never sent. */
    SILENCED
}
