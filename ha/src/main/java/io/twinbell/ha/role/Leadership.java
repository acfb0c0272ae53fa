package io.twinbell.ha.role;

import io.twinbell.ha.latch.Election;
import io.twinbell.ha.latch.Latch;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.EpochRow;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * Who is master, as this node lives it. One thread calls {@link #step}: soon after anything happened, and at the latest
 * after the time that the last step returned. Everybody else only leaves a wish ({@link #fenced}, {@link #resign}) and
 * has the step called.
 */
public final class Leadership {
    static final Duration CHECK = Duration.ofSeconds(3);
    static final Duration SOON = Duration.ofMillis(20);
    static final Duration OFTEN = Duration.ofMillis(200);
    static final Duration NOW_AND_THEN = Duration.ofMillis(500);

    private final LatchParticipation participation;
    private final RoleRecord roles;
    private final PeerReach reach;
    private final Candidate candidate;
    private final Mastership mastership;
    private final RoleRequests requests = new RoleRequests();

    /** What the outside world is like: the clock, the database's reach, the other node's, and how long to drain. */
    public record Surroundings(Ticker ticker, PeerReach peerReach, Duration drain) {}

    public Leadership(
            String node,
            UUID incarnation,
            Latch latch,
            EpochRegister register,
            MasterDuties duties,
            RoleRecord roles,
            Surroundings surroundings) {
        this.roles = roles;
        reach = surroundings.peerReach();
        participation = new LatchParticipation(latch, surroundings.ticker());
        Candidate.Self self = new Candidate.Self(node, incarnation);
        candidate = new Candidate(self, participation, register, duties, roles, requests, surroundings);
        mastership = new Mastership(participation, register, duties, roles, requests, surroundings);
    }

    /** The node has what it needs to take part: from now on it is a standby. */
    public void join() {
        roles.change(Role.STANDBY, "started", roles.knownEpoch(), 0, "[]");
    }

    /** The epoch that this node is master under; null if it is not. */
    public Epoch epoch() {
        return mastership.epoch();
    }

    /** The owner as a candidate last read it; null before the first time. */
    public EpochRow lastSeenOwner() {
        return candidate.lastSeenOwner();
    }

    /**
     * How old the owner's last heartbeat is by now, in milliseconds, as far as a candidate knows; -1 if it does not. It
     * grows by the monotonic clock while the database does not answer.
     */
    public long ownerHeartbeatAgeMillis() {
        return candidate.ownerHeartbeatAgeMillis();
    }

    /** Whether takeovers were on hold when this node last looked; a master does not. */
    public boolean isOnHold() {
        EpochRow row = lastSeenOwner();
        return row != null && row.instructions().hold() != null;
    }

    /** Why this node does not take over from a master that is gone, so that nobody fires; empty if it would. */
    public Optional<String> heldBack() {
        return Optional.ofNullable(roles.role() == Role.STANDBY ? candidate.heldBack() : null);
    }

    public boolean isLatchHeld() {
        return participation.isHeld();
    }

    /** The election as the last step saw it. */
    public Election election() {
        return participation.latest();
    }

    /**
     * The owner of an epoch is gone: whoever holds the latch need not ask it to hand over. Says nothing about who may hold
     * the latch. {@code null} takes it back.
     */
    public void ownerIsGone(OwnerLoss loss) {
        requests.loss = loss;
    }

    /** A write under {@code superseded} was refused: this node steps down with the next step. */
    public void fenced(Epoch superseded) {
        requests.fenced = superseded;
    }

    /** Asks this node to give the master's role up; it stays in the pair. */
    public void resign(String reason) {
        requests.resignation = reason;
    }

    /** Asks this node to leave the pair: it hands over if it is master, drains, and is STOPPED then. */
    public void retire() {
        requests.retiring = true;
    }

    /** Ends a drain now instead of at its time. */
    public void hurry() {
        requests.hurried = true;
    }

    /** Who reaches the database: to be told of news at once, for the next step may be late. Any thread. */
    public PeerReach peerReach() {
        return reach;
    }

    /** Goes one step on; returns how long the next may wait if nothing happens. */
    public Duration step() {
        reach.look();
        boolean drainsBeside = roles.role() != Role.DEMOTING && mastership.isDraining();
        if (drainsBeside) {
            mastership.drain();
        }
        Duration next = switch (roles.role()) {
            case STOPPED -> CHECK;
            case STANDBY, PROMOTING -> stepAsCandidate();
            case MASTER -> mastership.step();
            case DEMOTING -> {
                candidate.lookOn();
                yield mastership.stepAsDraining();
            }
        };
        if (reach.isDatabaseReached()) {
            roles.save();
        }
        return drainsBeside && next.compareTo(OFTEN) > 0 ? OFTEN : next;
    }

    private Duration stepAsCandidate() {
        if (requests.retiring && mastership.isDraining()) {
            return SOON;
        }
        if (requests.retiring && candidate.opened() == null) {
            participation.leave();
            roles.change(Role.STOPPED, "stopped", roles.knownEpoch(), 0, "[]");
            return CHECK;
        }
        requests.resignation = null;
        Duration next = candidate.step();
        if (roles.role() == Role.MASTER) {
            mastership.begin(candidate.handOut());
        }
        return next;
    }
}
