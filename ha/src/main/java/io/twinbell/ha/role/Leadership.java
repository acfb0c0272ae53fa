package io.twinbell.ha.role;

import io.twinbell.ha.latch.Election;
import io.twinbell.ha.latch.Latch;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.EpochRow;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * This node's leadership state machine: takes part in the election, opens epochs, and hands over. One thread calls
 * {@link #step}: soon after each event, and at the latest after the time that the last step returned. Other threads
 * only leave a request ({@link #fenced}, {@link #resign}) and wake that thread.
 */
public final class Leadership {
    static final Duration CHANGE_MASTER_CHECK = Duration.ofSeconds(3);
    static final Duration NEXT_STEP = Duration.ofMillis(20);
    static final Duration RECHECK = Duration.ofMillis(200);
    static final Duration HOLD_CHECK = Duration.ofMillis(500);

    private final LatchParticipation participation;
    private final RoleRecord roles;
    private final PeerReach reach;
    private final Candidate candidate;
    private final Mastership mastership;
    private final RoleRequests requests = new RoleRequests();

    /** The clock, this node's and the other node's reach of the database, and the time allowed for a drain. */
    public record LeadershipContext(Ticker ticker, PeerReach peerReach, Duration drain) {}

    public Leadership(
            String node,
            UUID incarnation,
            Latch latch,
            EpochRegister register,
            MasterDuties duties,
            RoleRecord roles,
            LeadershipContext leadershipContext) {
        this.roles = roles;
        reach = leadershipContext.peerReach();
        participation = new LatchParticipation(latch, leadershipContext.ticker());
        Candidate.CandidateIdentity candidateIdentity = new Candidate.CandidateIdentity(node, incarnation);
        candidate =
                new Candidate(candidateIdentity, participation, register, duties, roles, requests, leadershipContext);
        mastership = new Mastership(participation, register, duties, roles, requests, leadershipContext);
    }

    /** Joins the pair as a standby. The node must be ready to take part. */
    public void join() {
        roles.change(Role.STANDBY, "started", roles.knownEpoch(), 0, "[]");
    }

    /** The epoch under which this node is master; null if it is not master. */
    public Epoch epoch() {
        return mastership.epoch();
    }

    /** The owner as this node last read it as a candidate; null before the first read. */
    public EpochRow lastSeenOwner() {
        return candidate.lastSeenOwner();
    }

    /**
     * The current age of the owner's last heartbeat in milliseconds, as far as this node knows as a candidate; -1 if
     * unknown. It grows by the monotonic clock while the database does not answer.
     */
    public long ownerHeartbeatAgeMillis() {
        return candidate.ownerHeartbeatAgeMillis();
    }

    /** Whether automatic takeover was on hold when this node last looked; a master does not look. */
    public boolean isOnHold() {
        EpochRow row = lastSeenOwner();
        return row != null && row.hold() != null;
    }

    /**
     * Why this node does not take over from a master that is gone, so that no node fires; empty if it would take over.
     */
    public Optional<String> heldBack() {
        return Optional.ofNullable(roles.role() == Role.STANDBY ? candidate.heldBack() : null);
    }

    public boolean isLatchHeld() {
        return participation.isHeld();
    }

    /** The election as seen by the last step. */
    public Election election() {
        return participation.latest();
    }

    /**
     * Reports that the owner of an epoch is gone, so that the latch holder need not ask it to hand over. It does not
     * affect which node may hold the latch. {@code null} withdraws the report.
     */
    public void ownerIsGone(OwnerLoss loss) {
        requests.loss = loss;
    }

    /** Reports that a write under {@code superseded} was refused; this node steps down at the next step. */
    public void fenced(Epoch superseded) {
        requests.fenced = superseded;
    }

    /** Asks this node to give up the master role and stay in the pair. */
    public void resign(String reason) {
        requests.resignation = reason;
    }

    /** Asks this node to leave the pair: it hands over if it is master, drains, and then becomes STOPPED. */
    public void retire() {
        requests.retiring = true;
    }

    /** Whether this node was asked to leave the pair. */
    public boolean isLeaving() {
        return requests.retiring;
    }

    /** Ends a drain now instead of at its time limit. */
    public void endDrainNow() {
        requests.hurried = true;
    }

    /** Which nodes reach the database. Report news to it directly, because the next step may be late. Any thread. */
    public PeerReach peerReach() {
        return reach;
    }

    /** Makes one step. Returns how long the next one may wait if nothing happens. */
    public Duration step() {
        reach.readPeers();
        boolean drainsBeside = roles.role() != Role.DEMOTING && mastership.isDraining();
        if (drainsBeside) {
            mastership.drain();
        }
        Duration next = switch (roles.role()) {
            case STOPPED -> CHANGE_MASTER_CHECK;
            case STANDBY, PROMOTING -> stepAsCandidate();
            case MASTER -> mastership.step();
            case DEMOTING -> {
                candidate.observe();
                yield mastership.stepAsDraining();
            }
        };
        if (reach.isDatabaseReached()) {
            roles.save();
        }
        return drainsBeside && next.compareTo(RECHECK) > 0 ? RECHECK : next;
    }

    private Duration stepAsCandidate() {
        if (requests.retiring && mastership.isDraining()) {
            return NEXT_STEP;
        }
        if (requests.retiring && candidate.opened() == null) {
            participation.leave();
            roles.change(Role.STOPPED, "stopped", roles.knownEpoch(), 0, "[]");
            return CHANGE_MASTER_CHECK;
        }
        requests.resignation = null;
        Duration next = candidate.step();
        if (roles.role() == Role.MASTER) {
            mastership.begin(candidate.handOut());
        }
        return next;
    }
}
