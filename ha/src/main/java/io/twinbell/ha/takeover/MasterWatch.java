package io.twinbell.ha.takeover;

import io.twinbell.ha.latch.LatchSessions.EndResult;
import io.twinbell.ha.role.OwnerLoss;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.takeover.OwnerLocation;
import io.twinbell.persistence.takeover.OwnerSessions;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The standby's side of fast takeover: waits for the master's database lock and, once it has the lock, decides whether
 * the master is dead, lost or alive. If the master's host is silent, it does not wait for the lock. If the master is
 * dead or lost, it ends the ZooKeeper session that still holds the latch. The ordinary promotion does the rest.
 */
final class MasterWatch {
    /** How often the recorded master is read while this node waits for its lock. */
    static final Duration RECORD_READ_EVERY = Duration.ofSeconds(1);

    static final Duration WATCH_STEP = Duration.ofMillis(500);
    static final Duration LOOK_AGAIN = Duration.ofMillis(5);
    static final Duration TRY_AGAIN = Duration.ofMillis(250);
    /** How long a verdict may stay open. A live master asks the database for the time every 100 ms. */
    static final Duration JUDGED_WITHIN = Duration.ofMillis(500);

    /** How long to wait for the latch of a master that is not proven dead. */
    static final Duration LATCH_WITHIN = Duration.ofSeconds(2);
    /**
     * After the server or this node's connection to it comes back, the master may take the lock first for this long.
     */
    static final Duration MASTER_FIRST = Duration.ofSeconds(3);

    static final int LOST_AT_MOST = 3;
    static final Duration LOST_WITHIN = Duration.ofMinutes(10);

    private static final Logger LOG = LoggerFactory.getLogger(MasterWatch.class);
    private static final Duration SHORTEST_REST = Duration.ofSeconds(2);
    private static final Duration LONGEST_REST = Duration.ofMinutes(1);

    private final FastTakeover.LocalNode localNode;
    private final TakeoverPorts ports;
    private final NodeView nodeView;
    private final FastTakeoverStatus status;
    private final Ticker ticker;
    private final Consumer<OwnerVerdict> onVerdict;
    private final HostLoss hostLoss;
    private final LockBackoff rest;
    private final LockBackoff masterFirst;
    private boolean isWarm;
    private OwnerLocation watched;
    private long recordReadNanos;
    /** The owner that had resigned at the latest look; null if there was none. */
    private OwnerLocation resigned;

    private Investigation open;
    private Investigation decided;
    private EndResult lastEnding;

    /**
     * An owner whose lock this node has taken.
     *
     * @param verdict UNCLEAR while the investigation is open
     */
    private record Investigation(
            OwnerLocation owner, long freeSinceMillis, long noticedNanos, OwnerVerdict verdict, long judgedNanos) {
        Investigation judged(OwnerVerdict found, long nanos) {
            return new Investigation(owner, freeSinceMillis, noticedNanos, found, nanos);
        }
    }

    MasterWatch(
            FastTakeover.LocalNode localNode,
            TakeoverPorts ports,
            NodeView nodeView,
            FastTakeoverStatus status,
            Ticker ticker,
            Consumer<OwnerVerdict> onVerdict) {
        this.localNode = localNode;
        this.ports = ports;
        this.nodeView = nodeView;
        this.status = status;
        this.ticker = ticker;
        this.onVerdict = onVerdict;
        hostLoss = new HostLoss(ports, ticker);
        rest = new LockBackoff(ticker, SHORTEST_REST, LONGEST_REST);
        masterFirst = new LockBackoff(ticker, MASTER_FIRST, MASTER_FIRST);
    }

    Duration step() {
        if (decided != null) {
            return followThrough();
        }
        if (open != null) {
            return judge();
        }
        // Releases the lock if this node held it as a master that has stepped down.
        ports.lock().release();
        Duration left = rest.left().compareTo(masterFirst.left()) > 0 ? rest.left() : masterFirst.left();
        return left.isZero() ? watch() : left;
    }

    /** Handles a broken connection: every lock it held is free again. */
    void lostConnection() {
        open = null;
        hostLoss.forget();
        if (decided != null && decided.verdict() == OwnerVerdict.LOST) {
            close();
        }
        masterFirst.begin();
    }

    /** Handles a change of role: this node has nothing to watch any more. */
    void end() {
        open = null;
        watched = null;
        hostLoss.forget();
        resigned = null;
        if (decided != null) {
            close();
        }
    }

    private void close() {
        decided = null;
        nodeView.ownerIsGone(null);
    }

    private Duration watch() {
        boolean isKnown = watched != null && ticker.nanos() - recordReadNanos < RECORD_READ_EVERY.toNanos();
        if (isKnown && nodeView.election().standing()) {
            return waitForLock();
        }
        Optional<OwnerLocation> owner = ports.records().owner();
        endLeftSessions(owner.isPresent());
        if (owner.isEmpty()) {
            status.leave("no master with a database lock is recorded");
            return WATCH_STEP;
        }
        // A node that stops leaves the election on purpose, and may drain for long after that.
        if (nodeView.isLeaving() && !nodeView.election().standing()) {
            status.leave("node " + localNode.node() + " is leaving the pair");
            return WATCH_STEP;
        }
        Optional<String> obstacle = obstacleToWatching(owner.get());
        if (obstacle.isPresent()) {
            status.disable(obstacle.get());
            return WATCH_STEP;
        }
        watched = owner.get();
        recordReadNanos = ticker.nanos();
        if (!isWarm) {
            isWarm = true;
            ports.sessions().warmUp();
        }
        status.on();
        return waitForLock();
    }

    /** Waits in slices, because one long statement would hold back vacuum in the whole database. */
    private Duration waitForLock() {
        if (hostLoss.isFound(watched)) {
            return takeOverFromLostHost();
        }
        OptionalLong free = ports.lock().await(hostLoss.probeDelay());
        if (free.isPresent()) {
            // Pending connections to the port must not delay the answer to the probe that follows.
            hostLoss.forget();
            open = new Investigation(watched, free.getAsLong(), ticker.nanos(), OwnerVerdict.UNCLEAR, 0);
        }
        return Duration.ZERO;
    }

    private Duration takeOverFromLostHost() {
        long now = ticker.nanos();
        onVerdict.accept(OwnerVerdict.LOST);
        LOG.info(
                "the host of master {} (epoch {}) has not responded to this node or to the database for {} ms: {}",
                watched.node(),
                watched.epoch(),
                HostLoss.SILENT.toMillis(),
                OwnerVerdict.LOST);
        return takeOver(new Investigation(watched, 0, now, OwnerVerdict.LOST, now));
    }

    /**
     * Ends the session of an owner that has resigned but still holds the latch. An owner that gives up the role leaves
     * the latch; one that cannot reach ZooKeeper cannot leave, and its place would stay as long as its session. By the
     * second check every other owner has left the latch, so its session is not ended.
     */
    private void endLeftSessions(boolean isThereAnOwner) {
        OwnerLocation last = isThereAnOwner ? null : ports.records().resigned().orElse(null);
        if (last != null
                && last.equals(resigned)
                && !last.incarnation().equals(localNode.incarnation())
                && ports.sessions().end(last.session()) == EndResult.ENDED) {
            LOG.info("ended {} of {}, which had resigned but still held the latch", last.session(), last.node());
        }
        resigned = last;
    }

    /**
     * Why this owner cannot be watched; empty if it can. This node must first have seen the owner answer, use the
     * database and hold the lock. Otherwise a wrong address or a firewall would look like a death.
     */
    private Optional<String> obstacleToWatching(OwnerLocation owner) {
        if (!nodeView.election().standing()) {
            return Optional.of("standby " + localNode.node() + " does not take part in the election");
        }
        if (owner.equals(watched)) {
            return Optional.empty();
        }
        if (owner.incarnation().equals(localNode.incarnation())) {
            return Optional.of("node " + localNode.node() + " is itself recorded as the master");
        }
        if (owner.http().isEmpty()) {
            return Optional.of("master " + owner.node() + " has no API (http.enabled is false), so its death cannot"
                    + " be proven; it is detected when its ZooKeeper session times out");
        }
        if (isPredecessorHere(owner)) {
            return Optional.empty();
        }
        if (ports.probe().ask(owner.http(), owner.incarnation()) != Probe.Answer.SAME) {
            return Optional.of("master " + owner.node() + " does not answer standby " + localNode.node() + " at "
                    + owner.http() + ", so a missing response would not prove its death");
        }
        if (ports.records().sessionsOf(owner.incarnation()).lastSpokeMillis() == 0) {
            return Optional.of("standby " + localNode.node() + " has no permission to see the database sessions of"
                    + " master " + owner.node() + ": let both nodes use the same database user");
        }
        return ports.records().isLockHeldBy(owner.lockBackend())
                ? Optional.empty()
                : Optional.of("master " + owner.node() + " does not hold its database lock");
    }

    /**
     * Whether the recorded owner is a former process of this node: this process listens at its address and holds the
     * lock of its node id, so the node was restarted before another node took over.
     */
    private boolean isPredecessorHere(OwnerLocation owner) {
        return owner.node().equals(localNode.node())
                && owner.http().equals(localNode.http().get());
    }

    private Duration judge() {
        OwnerLocation owner = open.owner();
        if (!ports.records().owner().equals(Optional.of(owner))) {
            // The owner resigned, was superseded, or holds the lock in another session: there is nothing to
            // investigate.
            stepBack();
            return Duration.ZERO;
        }
        Probe.Answer answer = ports.probe().ask(owner.http(), owner.incarnation());
        OwnerSessions sessions = ports.records().sessionsOf(owner.incarnation());
        boolean isTimeUp = ticker.nanos() - open.noticedNanos() >= JUDGED_WITHIN.toNanos();
        OwnerVerdict verdict =
                OwnerVerdict.of(new OwnerVerdict.Evidence(answer, sessions, open.freeSinceMillis(), isTimeUp));
        if (verdict == OwnerVerdict.UNCLEAR) {
            return LOOK_AGAIN;
        }
        onVerdict.accept(verdict);
        LOG.info(
                "the database lock of master {} (epoch {}) was released: port {}, {} database sessions: {}",
                owner.node(),
                owner.epoch(),
                answer,
                sessions.count(),
                verdict);
        if (verdict == OwnerVerdict.ALIVE) {
            return restBecause("the lock of master " + owner.node()
                    + " was released but the master is alive: watching it again soon");
        }
        return takeOver(open.judged(verdict, ticker.nanos()));
    }

    /**
     * Takes over from an owner that is dead or lost. The limit on takeovers does not apply to a proven death. A hold
     * does not keep a dead owner's session from being ended: a live node then holds the latch, and waits until the hold
     * ends or the owner's node returns.
     */
    private Duration takeOver(Investigation gone) {
        OwnerLocation owner = gone.owner();
        boolean isProven = gone.verdict() == OwnerVerdict.DEAD;
        if (!isProven && nodeView.isOnHold()) {
            LOG.warn(
                    "master {} is lost, but automatic takeover is on hold: its ZooKeeper session is left open",
                    owner.node());
            return restBecause("master " + owner.node() + " is lost, but automatic takeover is on hold");
        }
        if (!isProven && ports.records().takeoversOfLost(LOST_WITHIN) >= LOST_AT_MOST) {
            LOG.warn(
                    "{} masters were lost within {} minutes and none was proven dead: ZooKeeper alone decides this"
                            + " time",
                    LOST_AT_MOST,
                    LOST_WITHIN.toMinutes());
            return restBecause(
                    "master " + owner.node() + " is lost, and " + LOST_AT_MOST + " masters were already lost within "
                            + LOST_WITHIN.toMinutes() + " minutes: ZooKeeper alone decides");
        }
        if (!isProven) {
            enter(gone);
        }
        nodeView.ownerIsGone(new OwnerLoss(
                owner.epoch(), isProven, gone.freeSinceMillis(), gone.noticedNanos(), gone.judgedNanos()));
        open = null;
        decided = gone;
        lastEnding = null;
        Duration next = followThrough();
        if (isProven) {
            // This row is only a record: no limit counts it, so it may be written after the session has ended.
            enter(gone);
        }
        return next;
    }

    private void enter(Investigation gone) {
        ports.records()
                .enterTakeover(
                        localNode.node(), gone.owner().epoch(), gone.verdict().name());
    }

    /**
     * Tries to end the session until the latch has moved. For a proven death this cannot be wrong; a lost owner may
     * come back, so for that the attempts end after a time.
     */
    private Duration followThrough() {
        OwnerLocation owner = decided.owner();
        if (nodeView.knownEpoch() > owner.epoch()) {
            close();
            stepBack();
            return Duration.ZERO;
        }
        EndResult endResult = ports.sessions().end(owner.session());
        if (endResult != lastEnding) {
            LOG.info("{} of master {}: {}", owner.session(), owner.node(), endResult);
            lastEnding = endResult;
        }
        boolean isTooLate = ticker.nanos() - decided.judgedNanos() >= LATCH_WITHIN.toNanos();
        if (decided.verdict() == OwnerVerdict.LOST && isTooLate) {
            LOG.warn("master {} has not lost the latch in time: ZooKeeper alone decides", owner.node());
            close();
            return restBecause("master " + owner.node() + " did not lose the latch in time");
        }
        return TRY_AGAIN;
    }

    /** Stops watching for a while. During that time only ZooKeeper would notice a death, and the status says so. */
    private Duration restBecause(String obstacle) {
        stepBack();
        rest.begin();
        status.disable(obstacle);
        return Duration.ZERO;
    }

    private void stepBack() {
        open = null;
        watched = null;
        hostLoss.forget();
        ports.lock().release();
    }
}
