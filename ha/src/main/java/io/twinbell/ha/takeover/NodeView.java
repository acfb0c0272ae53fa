package io.twinbell.ha.takeover;

import io.twinbell.ha.latch.Election;
import io.twinbell.ha.role.OwnerLoss;
import io.twinbell.ha.role.Role;
import io.twinbell.persistence.epoch.Epoch;

/** This node's place in the pair. */
interface NodeView {
    Role role();

    /** The epoch that this node is master under; null if it is not. */
    Epoch epoch();

    /** The newest epoch that this node has heard of. */
    long knownEpoch();

    /** The election as it was last seen. */
    Election election();

    /** Whether people have put takeovers on hold, as far as this node knows. */
    boolean isOnHold();

    /** Makes known that an owner is gone; null takes it back. */
    void ownerIsGone(OwnerLoss loss);
}
