package io.twinbell.ha.role;

import io.twinbell.persistence.epoch.Epoch;

/**
 * Requests about this node's role, and findings of other parts about the owner. Written by any thread, read by the
 * step.
 */
final class RoleRequests {
    /** The epoch under which a write was refused; null if there was none. */
    volatile Epoch fenced;
    /** Why this node should hand over and stay in the pair; null if it should not. */
    volatile String resignation;
    /** Whether this node should leave the pair. */
    volatile boolean retiring;
    /** Whether a drain should end now. */
    volatile boolean hurried;
    /** The reported loss of an owner; null if there is none. */
    volatile OwnerLoss loss;
}
