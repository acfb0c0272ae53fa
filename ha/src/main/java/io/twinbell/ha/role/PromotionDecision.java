package io.twinbell.ha.role;

import io.twinbell.ha.latch.Election;
import io.twinbell.persistence.epoch.EpochRow;
import java.util.UUID;

/** What a node that is not master should do next: a pure decision. */
enum PromotionDecision {
    /** Nothing to do until something changes. */
    WAIT,
    /** Stand in the election. */
    ENTER,
    /**
     * Hold the latch no longer: this node cannot reach the database, and the other can; or ZooKeeper has come back, and the
     * living owner has lost its place by nothing but that.
     */
    LEAVE,
    /** Ask the living owner to hand over. */
    ASK,
    /** Open the next epoch. */
    OPEN,
    /** Hold the latch and leave it at that: people have put takeovers on hold. */
    HOLD,
    /** Let the owner's node have the latch: takeovers are on hold, and it is there to go on. */
    YIELD;

    /**
     * What was seen at one moment.
     *
     * @param row null if the database does not answer
     * @param peerReaches whether another node has said for a second that it reaches the database
     * @param backFromOutage whether database or ZooKeeper came back so recently that the owner may not have been able to
     *     show itself yet
     * @param ownerIsGone whether the owner's process was found dead or lost
     * @param waitedForOwner whether the owner was given its time to stand in the election first
     * @param askedLongEnough whether the owner was asked to hand over and had its second
     * @param mayFollow whether people let this node have the next epoch
     */
    record Seen(
            Election election,
            EpochRow row,
            UUID self,
            boolean peerReaches,
            BackFrom backFromOutage,
            boolean ownerIsGone,
            boolean waitedForOwner,
            boolean askedLongEnough,
            boolean mayFollow) {
        /** Nobody can beat while the database is away: a heartbeat from before an outage says nothing about its owner. */
        boolean mayOwnerLive() {
            if (ownerIsGone) {
                return false;
            }
            boolean hasNotResigned = row.node() != null && !row.resigned();
            return row.isOwnerAlive() || hasNotResigned && backFromOutage.database();
        }
    }

    /** What came back a moment ago. */
    record BackFrom(boolean database, boolean zooKeeper) {}

    static PromotionDecision decide(Seen seen) {
        Election election = seen.election();
        if (!election.connected()) {
            return WAIT;
        }
        if (seen.row() == null) {
            return election.held() && seen.peerReaches() ? LEAVE : WAIT;
        }
        boolean ownerIsAnother =
                seen.mayOwnerLive() && !seen.self().equals(seen.row().incarnation());
        if (!election.standing()) {
            boolean ownerMustStandFirst = ownerIsAnother
                    && (seen.backFromOutage().zooKeeper()
                            || !election.stands(seen.row().node()));
            return ownerMustStandFirst && !seen.waitedForOwner() ? WAIT : ENTER;
        }
        if (!election.held()) {
            return WAIT;
        }
        if (!seen.mayFollow()) {
            String owner = seen.row().node();
            return owner != null && election.stands(owner) ? YIELD : HOLD;
        }
        if (ownerIsAnother && seen.backFromOutage().zooKeeper()) {
            return LEAVE;
        }
        return ownerIsAnother && !seen.askedLongEnough() ? ASK : OPEN;
    }
}
