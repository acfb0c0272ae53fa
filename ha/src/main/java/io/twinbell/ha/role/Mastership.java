package io.twinbell.ha.role;

import io.twinbell.ha.latch.Election;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node's time as master, until it has given up the role and all work under its epoch has ended. */
final class Mastership {
    private static final Logger LOG = LoggerFactory.getLogger(Mastership.class);
    /** How long to wait for the outcomes of interrupted handlers. */
    private static final Duration OUTCOME_GRACE = Duration.ofMillis(500);
    /**
     * A master that hands over still starts what fires within this time, because its successor hardly ever fires
     * sooner. It is no longer than that: a receiver that has seen a call of the next epoch refuses one of this epoch.
     */
    static final Duration KEPT = Duration.ofMillis(20);
    /** Safety margin: the successor takes the drain to be over this much later than this node does. */
    private static final Duration MARGIN = Duration.ofSeconds(1);

    private final LatchParticipation participation;
    private final EpochRegister register;
    private final MasterDuties duties;
    private final RoleRecord roles;
    private final RoleRequests requests;
    private final Leadership.LeadershipContext leadershipContext;
    private final PeerReach reach;
    /** There are several if this node became master again, and gave up the role again, within one drain. */
    private final List<Draining> drains = new ArrayList<>();

    /** The drain of the current demotion, finished or not; null if the demotion has none. */
    private Draining latest;

    private volatile Epoch epoch;

    /** Work that still starts or runs under an epoch that this node gave up. */
    private record Draining(
            Epoch epoch,
            MonotonicDeadline time,
            MonotonicDeadline kept,
            MonotonicDeadline interruptGrace,
            PhaseTimer since) {}

    Mastership(
            LatchParticipation participation,
            EpochRegister register,
            MasterDuties duties,
            RoleRecord roles,
            RoleRequests requests,
            Leadership.LeadershipContext leadershipContext) {
        this.participation = participation;
        this.register = register;
        this.duties = duties;
        this.roles = roles;
        this.requests = requests;
        this.leadershipContext = leadershipContext;
        reach = leadershipContext.peerReach();
    }

    void begin(Epoch opened) {
        epoch = opened;
    }

    /** The epoch under which this node is master; null if it is not master. */
    Epoch epoch() {
        return epoch;
    }

    Duration step() {
        Epoch current = epoch;
        if (current.equals(requests.fenced) || isSuperseded(current)) {
            return demoteFenced(current);
        }
        String reason = reasonToHandOver(current);
        if (reason != null) {
            return demote(current, reason);
        }
        Election election = participation.readElection();
        if (election.connected() && !election.standing()) {
            participation.reenter();
        }
        return reach.isDatabaseReached() ? Leadership.CHANGE_MASTER_CHECK : Leadership.RECHECK;
    }

    private boolean isSuperseded(Epoch current) {
        try {
            return reach.isDatabaseReached() && !register.confirm(current);
        } catch (DatabaseUnavailableException e) {
            return false;
        }
    }

    private String reasonToHandOver(Epoch current) {
        if (requests.retiring) {
            return "stopping";
        }
        String resignation = requests.resignation;
        if (resignation != null) {
            return resignation;
        }
        if (reach.isDatabaseReached()) {
            return handOverAsked(current);
        }
        return reach.othersReach() ? "lost the database, but the other node reaches it" : null;
    }

    private String handOverAsked(Epoch current) {
        try {
            return register.handOverAsked(current).orElse(null);
        } catch (DatabaseUnavailableException e) {
            return null;
        }
    }

    /**
     * Steps down after another epoch was opened. No write is accepted any more, so nothing is handed back and no
     * handler is worth finishing.
     */
    private Duration demoteFenced(Epoch old) {
        PhaseTimer timer = begin(old, "epoch " + old.number() + " was superseded");
        duties.stopClaiming(old);
        duties.interrupt(old);
        participation.leave();
        roles.change(Role.STANDBY, "fenced", old.number(), timer.millis(), timer.json());
        return Duration.ZERO;
    }

    private PhaseTimer begin(Epoch old, String reason) {
        PhaseTimer timer = new PhaseTimer(leadershipContext.ticker());
        roles.change(Role.DEMOTING, reason, old.number(), 0, "[]");
        epoch = null;
        requests.resignation = null;
        return timer;
    }

    private Duration demote(Epoch old, String reason) {
        // First leave the latch, so that it moves while the rest is done; its next holder waits for the resignation of
        // the epoch. So a claim that gets no answer does not delay the latch.
        participation.leave();
        PhaseTimer timer = begin(old, reason);
        latest = new Draining(old, deadline(leadershipContext.drain()), deadline(KEPT), deadline(OUTCOME_GRACE), timer);
        latest.time().begin();
        drains.add(latest);
        duties.stopClaiming(old);
        timer.lap("stop claiming");
        giveUp(old, timer);
        if (!requests.retiring) {
            participation.enter();
        }
        return Duration.ZERO;
    }

    private MonotonicDeadline deadline(Duration bound) {
        return new MonotonicDeadline(leadershipContext.ticker(), bound);
    }

    /** Writes as much of the hand-over as the database accepts. Without the database, nothing more starts here. */
    private void giveUp(Epoch old, PhaseTimer timer) {
        boolean keeps = reach.isDatabaseReached();
        if (keeps) {
            latest.kept().begin();
        }
        handBack(old, keeps ? KEPT : Duration.ZERO);
        timer.lap("hand back");
        try {
            if (reach.isDatabaseReached()) {
                register.resign(
                        old, leadershipContext.drain().plus(OUTCOME_GRACE).plus(MARGIN));
                timer.lap("resign");
            }
        } catch (DatabaseUnavailableException e) {
            LOG.warn("handing over without recording the resignation: {}", e.getMessage());
        }
    }

    private void handBack(Epoch old, Duration kept) {
        try {
            duties.handBack(old, kept);
        } catch (DatabaseUnavailableException e) {
            LOG.warn("claims that have not started are not handed back: {}", e.getMessage());
        }
    }

    /**
     * Makes one step of a demotion. If the successor disappears before the drain ends, this node may be needed at once,
     * so an older drain continues beside the next role.
     */
    Duration stepAsDraining() {
        drain();
        if (latest == null) {
            roles.change(Role.STANDBY, "drained", roles.knownEpoch(), 0, "[]");
            return Duration.ZERO;
        }
        if (drains.contains(latest)) {
            if (!participation.readElection().held()) {
                return latest.kept().left(Leadership.NEXT_STEP);
            }
            // Under a new epoch of this node, nothing starts under the old one.
            handBackKept(latest);
        }
        PhaseTimer since = latest.since();
        String reason = "holds the latch again while still draining";
        if (!drains.contains(latest)) {
            since.lap("drain");
            reason = latest.interruptGrace().isRunning() ? "interrupted running handlers" : "drained";
        }
        roles.change(Role.STANDBY, reason, latest.epoch().number(), since.millis(), since.json());
        latest = null;
        return Duration.ZERO;
    }

    private void handBackKept(Draining draining) {
        if (draining.kept().isRunning()) {
            draining.kept().end();
            handBack(draining.epoch(), Duration.ZERO);
        }
    }

    /** Whether work of an epoch that this node gave up is still running. */
    boolean isDraining() {
        return !drains.isEmpty();
    }

    /**
     * Continues all drains, whatever the role. Handlers may finish until the drain's time limit and are then
     * interrupted.
     */
    void drain() {
        drains.removeIf(this::isOver);
    }

    private boolean isOver(Draining draining) {
        boolean isTimeOver = requests.hurried || draining.time().isOver();
        if (draining.kept().isOver() || isTimeOver) {
            handBackKept(draining);
        }
        boolean isFinished = duties.isFinished(draining.epoch());
        if (!isFinished && isTimeOver && !draining.interruptGrace().isRunning()) {
            duties.interrupt(draining.epoch());
            draining.interruptGrace().begin();
        }
        if (!isFinished && !draining.interruptGrace().isOver()) {
            return false;
        }
        logDrained(draining.epoch());
        return true;
    }

    private void logDrained(Epoch over) {
        try {
            register.drained(over);
        } catch (DatabaseUnavailableException e) {
            LOG.debug(
                    "the end of the drain is not recorded, so the successor waits for the time limit: {}",
                    e.getMessage());
        }
    }
}
