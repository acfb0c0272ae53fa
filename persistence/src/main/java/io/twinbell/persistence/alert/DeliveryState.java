package io.twinbell.persistence.alert;

/** How far a delivery is. */
public enum DeliveryState {
    /** Events are still added to it. */
    GATHERING,
    /** It waits for its next attempt. */
    PENDING,
    /** An attempt is under way, or was when its master died. */
    SENDING,
    DELIVERED,
    /** The last attempt failed too. */
    GIVEN_UP,
    /** It fell into a silence and is never sent. */
    SILENCED
}
