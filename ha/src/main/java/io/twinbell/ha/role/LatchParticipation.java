package io.twinbell.ha.role;

import io.twinbell.ha.latch.Election;
import io.twinbell.ha.latch.Latch;
import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;

/** This node's participation in the election. */
final class LatchParticipation {
    /** A latch node is created in the background; it counts as lost only after this time. */
    private static final Duration ENTERING_MAY_TAKE = Duration.ofSeconds(2);

    private final Latch latch;
    private final MonotonicDeadline entering;
    private volatile Election latest = Election.UNREACHABLE;
    private volatile boolean held;

    LatchParticipation(Latch latch, Ticker ticker) {
        this.latch = latch;
        entering = new MonotonicDeadline(ticker, ENTERING_MAY_TAKE);
    }

    Election readElection() {
        Election election = latch.readElection();
        latest = election;
        held = election.held();
        return election;
    }

    /** The election as last seen. */
    Election latest() {
        return latest;
    }

    /** Whether this node held the latch at the last look. */
    boolean isHeld() {
        return held;
    }

    void enter() {
        entering.begin();
        latch.enter();
    }

    void removePredecessors() {
        latch.removePredecessors();
    }

    void leave() {
        entering.end();
        latch.leave();
        latest = Election.UNREACHABLE;
        held = false;
    }

    /**
     * Leaves and enters again if this node's latch node is missing. A place that was lost without notice, for example
     * because its node was deleted, must be left before entering again.
     */
    void reenter() {
        if (!entering.isRunning() || entering.isOver()) {
            leave();
            enter();
        }
    }
}
