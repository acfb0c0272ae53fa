package io.twinbell.ha.role;

import io.twinbell.ha.latch.Election;
import io.twinbell.persistence.epoch.EpochRow;
import java.util.UUID;

/** The next action of a node that is not master: a pure decision. */
enum PromotionDecision {
    /** Nothing to do until something changes. */
    WAIT,
    /** Enter the election. */
    ENTER,
    /**
     * Leave the latch. Either this node cannot reach the database and the other node can; or ZooKeeper has come back,
     * and the live owner lost its place only because of the outage.
     */
    LEAVE,
    /** Ask the living owner to hand over. */
    ASK,
    /** Open the next epoch. */
    OPEN,
    /** Keep the latch but open no epoch: automatic takeover is on hold. */
    HOLD,
    /**
     * Leave the latch to the owner's node: automatic takeover is on hold, and that node is present and can continue.
     */
    YIELD;

    /**
     * What was seen at one moment.
     *
     * @param row null if the database does not answer
     * @param peerReaches whether another node has reported for a second that it reaches the database
     * @param backFromOutage whether the database or ZooKeeper came back so recently that the owner may not have had the
     *     chance to show itself
     * @param ownerIsGone whether the owner's process was found dead or lost
     * @param waitedForOwner whether the owner has had its time to enter the election first
     * @param askedLongEnough whether the owner was asked to hand over a second or more ago
     * @param mayFollow whether the operators' instructions allow this node to open the next epoch
     */
    record Observation(
            Election election,
            EpochRow row,
            UUID self,
            boolean peerReaches,
            RecentOutage backFromOutage,
            boolean ownerIsGone,
            boolean waitedForOwner,
            boolean askedLongEnough,
            boolean mayFollow) {
        /**
         * Whether the owner may be alive. No node can send heartbeats while the database is away, so a heartbeat from
         * before an outage says nothing about its owner.
         */
        boolean mayOwnerLive() {
            if (ownerIsGone) {
                return false;
            }
            boolean hasNotResigned = row.node() != null && !row.resigned();
            return row.isOwnerAlive() || hasNotResigned && backFromOutage.database();
        }
    }

    /** Which system came back from an outage a moment ago. */
    record RecentOutage(boolean database, boolean zooKeeper) {}

    static PromotionDecision decide(Observation observation) {
        Election election = observation.election();
        if (!election.connected()) {
            return WAIT;
        }
        if (observation.row() == null) {
            return election.held() && observation.peerReaches() ? LEAVE : WAIT;
        }
        boolean ownerIsAnother = observation.mayOwnerLive()
                && !observation.self().equals(observation.row().incarnation());
        if (!election.standing()) {
            boolean ownerMustStandFirst = ownerIsAnother
                    && (observation.backFromOutage().zooKeeper()
                            || !election.isCandidate(observation.row().node()));
            return ownerMustStandFirst && !observation.waitedForOwner() ? WAIT : ENTER;
        }
        if (!election.held()) {
            return WAIT;
        }
        if (!observation.mayFollow()) {
            String owner = observation.row().node();
            return owner != null && election.isCandidate(owner) ? YIELD : HOLD;
        }
        if (ownerIsAnother && observation.backFromOutage().zooKeeper()) {
            return LEAVE;
        }
        return ownerIsAnother && !observation.askedLongEnough() ? ASK : OPEN;
    }
}
