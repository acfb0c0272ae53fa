package io.twinbell.ha.role;

import io.twinbell.ha.latch.Election;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.EpochRow;
import io.twinbell.persistence.epoch.MoveRequest;
import io.twinbell.persistence.epoch.TakeoverHold;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node on its way to becoming master: from entering the election to reading the first page of the task heap. */
final class Candidate {
    private static final Logger LOG = LoggerFactory.getLogger(Candidate.class);
    private static final Duration OWNER_MAY_STAND_FIRST = Duration.ofSeconds(5);
    private static final Duration EVERY_SECOND = Duration.ofSeconds(1);
    private static final Duration OWNER_MAY_HAND_OVER = Duration.ofSeconds(1);
    /**
     * After a ZooKeeper outage both nodes reconnect. The owner enters the election at once, the other node after this
     * time.
     */
    private static final Duration OWNER_MAY_RECONNECT = Duration.ofSeconds(2);

    private final CandidateIdentity candidateIdentity;
    private final LatchParticipation participation;
    private final EpochRegister register;
    private final MasterDuties duties;
    private final RoleRecord roles;
    private final RoleRequests requests;
    private final PeerReach reach;
    private final MonotonicDeadline ownerStands;
    private final MonotonicDeadline ownerHandsOver;
    private final MonotonicDeadline reconnected;
    private final MonotonicDeadline looksOn;
    private final Leadership.LeadershipContext leadershipContext;
    private final TakeoverHoldStatus takeoverHoldStatus;
    private boolean hasStood;
    /** Whether ZooKeeper was lost while this node stood in the election and has been back only for a short time. */
    private boolean zooKeeperWasAway;

    private long standingSinceNanos;
    private PhaseTimer promotion;
    private WonEpoch wonEpoch;
    private volatile OwnerSnapshot lastSeen;

    /** The node and process of this candidate. */
    record CandidateIdentity(String node, UUID incarnation) {}

    /** The owner's row, and the monotonic time at which it was read. */
    private record OwnerSnapshot(EpochRow row, long atNanos) {}

    /** An epoch that this node opened for {@code reason}. */
    private record WonEpoch(Epoch epoch, String reason, Predecessor predecessor) {}

    Candidate(
            CandidateIdentity candidateIdentity,
            LatchParticipation participation,
            EpochRegister register,
            MasterDuties duties,
            RoleRecord roles,
            RoleRequests requests,
            Leadership.LeadershipContext leadershipContext) {
        this.candidateIdentity = candidateIdentity;
        this.participation = participation;
        this.register = register;
        this.duties = duties;
        this.roles = roles;
        this.requests = requests;
        this.leadershipContext = leadershipContext;
        reach = leadershipContext.peerReach();
        ownerStands = new MonotonicDeadline(leadershipContext.ticker(), OWNER_MAY_STAND_FIRST);
        ownerHandsOver = new MonotonicDeadline(leadershipContext.ticker(), OWNER_MAY_HAND_OVER);
        looksOn = new MonotonicDeadline(leadershipContext.ticker(), EVERY_SECOND);
        reconnected = new MonotonicDeadline(leadershipContext.ticker(), OWNER_MAY_RECONNECT);
        takeoverHoldStatus = new TakeoverHoldStatus(candidateIdentity.node(), leadershipContext.ticker());
    }

    EpochRow lastSeenOwner() {
        OwnerSnapshot seen = lastSeen;
        return seen == null ? null : seen.row();
    }

    /**
     * The age of the owner's heartbeat. Between two reads it grows by this node's clock, so a database outage does not
     * freeze it.
     */
    long ownerHeartbeatAgeMillis() {
        OwnerSnapshot seen = lastSeen;
        if (seen == null || seen.row().node() == null) {
            return -1;
        }
        long sinceReadMillis = (leadershipContext.ticker().nanos() - seen.atNanos()) / 1_000_000;
        return seen.row().heartbeatAgeMillis() + sinceReadMillis;
    }

    /** Why this node does not take over from an owner that is gone; null if nothing prevents it. */
    String heldBack() {
        return takeoverHoldStatus.reason();
    }

    /**
     * The epoch that this candidate has opened; null if none. It becomes the master's epoch once the first heap page is
     * read.
     */
    Epoch opened() {
        return wonEpoch == null ? null : wonEpoch.epoch();
    }

    /** Hands the opened epoch to the master's side: this node is master now. */
    Epoch handOut() {
        Epoch epoch = wonEpoch.epoch();
        wonEpoch = null;
        return epoch;
    }

    /**
     * Reads the owner at most once a second while this node drains. A draining node watches its successor and must
     * learn of a hold that began in the meantime.
     */
    void observe() {
        if (looksOn.isOverWhenContinuous(true)) {
            looksOn.end();
            readOwner();
        }
    }

    Duration step() {
        looksOn.end();
        Election election = participation.readElection();
        boolean zooKeeperIsSettled = reconnected.isOverWhenContinuous(election.connected());
        zooKeeperWasAway = !zooKeeperIsSettled && (zooKeeperWasAway || hasStood && !election.connected());
        hasStood |= election.standing();
        if (!election.standing()) {
            standingSinceNanos = leadershipContext.ticker().nanos();
        }
        if (wonEpoch != null) {
            return retryStart(election);
        }
        EpochRow row = readOwner();
        boolean wantsIn = election.connected() && !election.standing();
        PromotionDecision.Observation observation = new PromotionDecision.Observation(
                election,
                row,
                candidateIdentity.incarnation(),
                reach.othersReach(),
                new PromotionDecision.RecentOutage(reach.isDatabaseJustBack(), zooKeeperWasAway),
                lossOf(row) != null,
                ownerStands.isOverWhenContinuous(wantsIn),
                ownerHandsOver.isOver(),
                row != null && row.mayBeFollowedBy(candidateIdentity.node()));
        takeoverHoldStatus.check(row, row != null && !observation.mayOwnerLive());
        return follow(PromotionDecision.decide(observation), election, row);
    }

    private EpochRow readOwner() {
        if (!reach.isDatabaseReached()) {
            return null;
        }
        try {
            EpochRow row = register.read();
            lastSeen = new OwnerSnapshot(row, leadershipContext.ticker().nanos());
            roles.saw(row.epoch());
            return row;
        } catch (DatabaseUnavailableException e) {
            LOG.debug("the owner cannot be read: {}", e.getMessage());
            return null;
        }
    }

    /** What is known about the loss of the owner in this row; null if nothing is known. */
    private OwnerLoss lossOf(EpochRow row) {
        OwnerLoss loss = requests.loss;
        return row != null && loss != null && loss.epoch() == row.epoch() ? loss : null;
    }

    private Duration follow(PromotionDecision next, Election election, EpochRow row) {
        return switch (next) {
            case ENTER -> {
                removePredecessors(row);
                participation.reenter();
                yield Leadership.RECHECK;
            }
            case LEAVE -> {
                withdrawIfPromoting("leaves the latch to the other node");
                participation.leave();
                yield Leadership.NEXT_STEP;
            }
            case ASK -> {
                ask(row);
                yield Leadership.NEXT_STEP;
            }
            case OPEN -> open(election, row);
            case HOLD -> {
                withdrawIfPromoting("automatic takeover is on hold");
                // The owner's node may come back, and the end of a hold sends no notification.
                yield Leadership.HOLD_CHECK;
            }
            case YIELD -> {
                withdrawIfPromoting("automatic takeover is on hold");
                participation.leave();
                yield Leadership.NEXT_STEP;
            }
            case WAIT -> {
                withdrawIfPromoting("the latch is no longer held");
                // A ZooKeeper server that was slow once sends no notification when it answers again.
                yield election.standing() ? Leadership.CHANGE_MASTER_CHECK : Leadership.RECHECK;
            }
        };
    }

    /**
     * Before this process stands for the first time, removes the latch nodes of its predecessors. An owner's node is
     * left to fast takeover, which ends its session: if the owner lives after all, it learns that it has lost the
     * latch. Any other process notices with its next change-master check, and stands again.
     */
    private void removePredecessors(EpochRow row) {
        boolean ownedTheEpoch = candidateIdentity.node().equals(row.node()) && !row.resigned();
        if (!hasStood && !ownedTheEpoch) {
            participation.removePredecessors();
        }
    }

    /**
     * Asks the owner to hand over, but not in the first step: an owner that is handing over leaves the latch first and
     * records its resignation a moment later.
     */
    private void ask(EpochRow row) {
        boolean isFirstLook = roles.role() != Role.PROMOTING;
        beginPromotion(row);
        if (!isFirstLook && !ownerHandsOver.isRunning()) {
            if (row.move() == null) {
                register.askToHandOver(row.epoch(), candidateIdentity.node(), "holds the latch");
                LOG.info("asked master {} (epoch {}) to hand over", row.node(), row.epoch());
            }
            ownerHandsOver.begin();
        }
    }

    private void beginPromotion(EpochRow row) {
        if (roles.role() != Role.PROMOTING) {
            promotion = phaseTimer(row, lossOf(row));
            roles.change(Role.PROMOTING, "holds the latch", roles.knownEpoch(), 0, "[]");
        }
    }

    /**
     * Starts the timer at the owner's last known sign of life, provided this node was standing at the time: the moment
     * its lock became free, its resignation, or its last heartbeat. If a hold delayed the promotion, the timer starts
     * now, when the hold ends.
     */
    private PhaseTimer phaseTimer(EpochRow row, OwnerLoss loss) {
        Ticker ticker = leadershipContext.ticker();
        if (row.node() == null || takeoverHoldStatus.past(row) != null) {
            return new PhaseTimer(ticker);
        }
        if (loss != null) {
            PhaseTimer sinceLock = new PhaseTimer(ticker, loss.noticedNanos());
            sinceLock.lap("detect", loss.judgedNanos());
            sinceLock.lap("latch");
            return sinceLock;
        }
        if (row.isOwnerAlive()) {
            return new PhaseTimer(ticker);
        }
        long age = row.resigned() ? row.resignedAgeMillis() : row.heartbeatAgeMillis();
        PhaseTimer since = new PhaseTimer(ticker, Math.max(standingSinceNanos, ticker.nanos() - age * 1_000_000));
        since.lap(row.resigned() ? "latch" : "detect");
        return since;
    }

    private Duration open(Election election, EpochRow row) {
        beginPromotion(row);
        OwnerLoss loss = lossOf(row);
        if (loss == null) {
            promotion.lap("hand-over");
        }
        String reason = reasonToOpen(row, loss);
        Claimant claimant = new Claimant(
                candidateIdentity.node(), candidateIdentity.incarnation(), election.session(), election.czxid());
        Optional<Epoch> opened = register.open(row.epoch(), claimant, reason);
        ownerHandsOver.end();
        if (opened.isEmpty()) {
            withdraw("another node opened an epoch first, or automatic takeover was put on hold");
            return Leadership.NEXT_STEP;
        }
        promotion.lap("fence");
        wonEpoch = new WonEpoch(opened.get(), reason, predecessor(row, loss));
        return startDuties();
    }

    private static Predecessor predecessor(EpochRow row, OwnerLoss loss) {
        if (row.resigned() || row.node() == null) {
            return Predecessor.over(row.epoch());
        }
        return loss != null && loss.isProven()
                ? Predecessor.deadSince(row.epoch(), loss.atMillis())
                : Predecessor.unknown(row.epoch());
    }

    private String reasonToOpen(EpochRow row, OwnerLoss loss) {
        MoveRequest move = row.move();
        if (move != null) {
            return describeOwner(row, loss) + ": " + move;
        }
        TakeoverHold past = takeoverHoldStatus.past(row);
        return describeOwner(row, loss) + (past == null ? "" : "; automatic takeover was on hold until now " + past);
    }

    private String describeOwner(EpochRow row, OwnerLoss loss) {
        if (row.node() == null) {
            return "first master";
        }
        if (row.node().equals(candidateIdentity.node())) {
            return row.resigned() ? "no other node took over after this node stopped" : "this node was restarted";
        }
        if (loss != null && !row.resigned()) {
            return row.node() + (loss.isProven() ? " is dead" : " is lost: it neither answers nor uses the database");
        }
        return row.node() + (row.resigned() ? " handed over" : " does not answer");
    }

    /** Begins to fire under the opened epoch. Only reading the first tasks can still fail, and that is retried. */
    private Duration startDuties() {
        duties.take(wonEpoch.epoch(), wonEpoch.predecessor());
        promotion.lap("rebuild");
        roles.change(Role.MASTER, wonEpoch.reason(), wonEpoch.epoch().number(), promotion.millis(), promotion.json());
        return Leadership.NEXT_STEP;
    }

    private Duration retryStart(Election election) {
        if (isSuperseded(wonEpoch.epoch())) {
            return abandonEpoch("superseded before it started to fire");
        }
        if (!reach.isDatabaseReached() && reach.othersReach() && election.held()) {
            participation.leave();
            return abandonEpoch("lost the database, but the other node reaches it; had not started to fire");
        }
        return startDuties();
    }

    private boolean isSuperseded(Epoch epoch) {
        return reach.isDatabaseReached() && !register.confirm(epoch);
    }

    private Duration abandonEpoch(String reason) {
        duties.stopClaiming(wonEpoch.epoch());
        wonEpoch = null;
        withdraw(reason);
        return Leadership.NEXT_STEP;
    }

    private void withdrawIfPromoting(String reason) {
        if (roles.role() == Role.PROMOTING) {
            withdraw(reason);
        }
    }

    private void withdraw(String reason) {
        ownerHandsOver.end();
        roles.change(Role.STANDBY, reason, roles.knownEpoch(), promotion.millis(), promotion.json());
    }
}
