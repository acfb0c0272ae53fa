package io.twinbell.ha.role;

import io.twinbell.persistence.epoch.Epoch;

/** What others want of this node's role, and have it know. Written by any thread, read by the step. */
final class RoleRequests {
    /** A write under this epoch was refused. */
    volatile Epoch fenced;
    /** Why this node should hand over and stay in the pair; null if it should not. */
    volatile String resignation;
    /** This node should leave the pair. */
    volatile boolean retiring;
    /** A drain should end now. */
    volatile boolean hurried;
    /** What was found out about an owner that is gone; null if nothing was. */
    volatile OwnerLoss loss;
}
