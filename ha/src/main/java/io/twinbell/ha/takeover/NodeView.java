package io.twinbell.ha.takeover;

import io.twinbell.ha.latch.Election;
import io.twinbell.ha.role.OwnerLoss;
import io.twinbell.ha.role.Role;
import io.twinbell.persistence.epoch.Epoch;

/** This node's role, epoch and election as fast takeover sees them, and its way to report the loss of an owner. */
interface NodeView {
    Role role();

    /** The epoch under which this node is master; null if it is not master. */
    Epoch epoch();

    /** The newest epoch known to this node. */
    long knownEpoch();

    /** The election as last seen. */
    Election election();

    /** Whether this node was asked to leave the pair, so that it does not enter the election again. */
    boolean isLeaving();

    /** Whether automatic takeover is on hold, as far as this node knows. */
    boolean isOnHold();

    /** Reports that an owner is gone; null withdraws the report. */
    void ownerIsGone(OwnerLoss loss);
}
