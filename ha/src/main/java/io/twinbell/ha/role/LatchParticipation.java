package io.twinbell.ha.role;

import io.twinbell.ha.latch.Election;
import io.twinbell.ha.latch.Latch;
import io.twinbell.persistence.database.Ticker;
import java.time.Duration;

/** This node's place in the election. */
final class LatchParticipation {
    /** A latch node is made in the background; not before this has passed is it taken for lost. */
    private static final Duration ENTERING_MAY_TAKE = Duration.ofSeconds(2);

    private final Latch latch;
    private final MonotonicDeadline entering;
    private volatile Election latest = Election.UNREACHABLE;
    private volatile boolean held;

    LatchParticipation(Latch latch, Ticker ticker) {
        this.latch = latch;
        entering = new MonotonicDeadline(ticker, ENTERING_MAY_TAKE);
    }

    Election look() {
        Election election = latch.look();
        latest = election;
        held = election.held();
        return election;
    }

    /** What was seen when the latch was last looked at. */
    Election latest() {
        return latest;
    }

    /** Whether the latch was held when it was last looked at. */
    boolean isHeld() {
        return held;
    }

    void enter() {
        entering.begin();
        latch.enter();
    }

    void leave() {
        entering.end();
        latch.leave();
        latest = Election.UNREACHABLE;
        held = false;
    }

    /** A place that was lost without notice, say because somebody deleted its node, must be given up first. */
    void enterAnew() {
        if (!entering.isRunning() || entering.isOver()) {
            leave();
            enter();
        }
    }
}
