package io.twinbell.ha.role;

import io.twinbell.ha.latch.Election;
import io.twinbell.ha.latch.Latch;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.EpochRow;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is master, as this node lives it. One thread calls {@link #step}: soon after anything happened, and at the latest
 * after the time that the last step returned. Everybody else only leaves a mark ({@link #fenced}, {@link #resign}) and
 * has the step called.
 */
public final class Leadership {
    private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);
    private static final Duration CHECK = Duration.ofSeconds(3);
    private static final Duration SOON = Duration.ofMillis(20);
    private static final Duration OFTEN = Duration.ofMillis(200);
    private static final Duration OWNER_MAY_STAND_FIRST = Duration.ofSeconds(5);
    private static final Duration OWNER_MAY_HAND_OVER = Duration.ofSeconds(1);
    /** After an outage of ZooKeeper both nodes connect anew: the owner enters at once, the other after this. */
    private static final Duration OWNER_MAY_RECONNECT = Duration.ofSeconds(2);
    /** A latch node is made in the background; not before this has passed is it taken for lost. */
    private static final Duration ENTERING_MAY_TAKE = Duration.ofSeconds(2);

    private final String node;
    private final UUID incarnation;
    private final Latch latch;
    private final EpochRegister register;
    private final Duties duties;
    private final RoleRecord roles;
    private final Surroundings surroundings;

    private final Patience ownerStands;
    private final Patience ownerHandsOver;
    private final Patience entering;
    private final Patience reconnected;
    private boolean hasStood;
    private Stopwatch promotion;
    private Office office;
    private Draining draining;
    private volatile Epoch epoch;
    private volatile Epoch fencedEpoch;
    private volatile String resignation;
    private volatile boolean retiring;
    private volatile boolean hurried;
    private volatile boolean latchHeld;
    private volatile EpochRow lastSeenOwner;

    /** What the outside world is like: the clock, the database's reach, the other node's, and how long to drain. */
    public record Surroundings(Ticker ticker, PeerReach peerReach, Duration drain) {}

    /** An epoch that was opened for {@code reason}. */
    private record Office(String reason, boolean predecessorIsOver) {}

    private record Draining(Epoch epoch, long untilNanos, Stopwatch since) {}

    public Leadership(
            String node,
            UUID incarnation,
            Latch latch,
            EpochRegister register,
            Duties duties,
            RoleRecord roles,
            Surroundings surroundings) {
        this.node = node;
        this.incarnation = incarnation;
        this.latch = latch;
        this.register = register;
        this.duties = duties;
        this.roles = roles;
        this.surroundings = surroundings;
        ownerStands = new Patience(surroundings.ticker(), OWNER_MAY_STAND_FIRST);
        ownerHandsOver = new Patience(surroundings.ticker(), OWNER_MAY_HAND_OVER);
        entering = new Patience(surroundings.ticker(), ENTERING_MAY_TAKE);
        reconnected = new Patience(surroundings.ticker(), OWNER_MAY_RECONNECT);
    }

    /** The node has what it needs to take part: from now on it is a standby. */
    public void join() {
        roles.change(Role.STANDBY, "started", knownEpoch(), 0, "[]");
    }

    private long knownEpoch() {
        EpochRow seen = lastSeenOwner;
        return seen == null ? 0 : seen.epoch();
    }

    /** The epoch that this node is master under; null if it is not. */
    public Epoch epoch() {
        return epoch;
    }

    /** The owner as a candidate last read it; null before the first time. */
    public EpochRow lastSeenOwner() {
        return lastSeenOwner;
    }

    public boolean isLatchHeld() {
        return latchHeld;
    }

    /** A write under {@code superseded} was refused: this node steps down with the next step. */
    public void fenced(Epoch superseded) {
        fencedEpoch = superseded;
    }

    /** Asks this node to give the master's role up; it stays in the pair. */
    public void resign(String reason) {
        resignation = reason;
    }

    /** Asks this node to leave the pair: it hands over if it is master, drains, and is STOPPED then. */
    public void retire() {
        retiring = true;
    }

    /** Ends a drain now instead of at its time. */
    public void hurry() {
        hurried = true;
    }

    /** Goes one step on; returns how long the next may wait if nothing happens. */
    public Duration step() {
        surroundings.peerReach().look();
        Duration next = switch (roles.role()) {
            case STOPPED -> CHECK;
            case STANDBY, PROMOTING -> stepAsCandidate();
            case MASTER -> stepAsMaster();
            case DEMOTING -> stepAsDraining();
        };
        if (surroundings.peerReach().isDatabaseReached()) {
            roles.save();
        }
        return next;
    }

    private Duration stepAsCandidate() {
        if (retiring) {
            latch.leave();
            latchHeld = false;
            roles.change(Role.STOPPED, "stopped", knownEpoch(), 0, "[]");
            return CHECK;
        }
        resignation = null;
        Election election = latch.look();
        latchHeld = election.held();
        if (epoch != null) {
            return isSuperseded(epoch) ? giveUpOffice() : takeOffice();
        }
        EpochRow row = readOwner();
        boolean wantsIn = election.connected() && !election.standing();
        boolean zooKeeperIsSettled = reconnected.isOverWhile(election.connected());
        hasStood |= election.standing();
        Candidacy next = Candidacy.decide(new Candidacy.Seen(
                election,
                row,
                incarnation,
                surroundings.peerReach().othersReach(),
                new Candidacy.BackFrom(surroundings.peerReach().isDatabaseJustBack(), hasStood && !zooKeeperIsSettled),
                ownerStands.isOverWhile(wantsIn),
                ownerHandsOver.isOver()));
        return follow(next, election, row);
    }

    private EpochRow readOwner() {
        if (!surroundings.peerReach().isDatabaseReached()) {
            return null;
        }
        try {
            lastSeenOwner = register.read();
            return lastSeenOwner;
        } catch (DatabaseUnavailableException e) {
            LOG.debug("the owner cannot be read: {}", e.getMessage());
            return null;
        }
    }

    private Duration follow(Candidacy next, Election election, EpochRow row) {
        switch (next) {
            case ENTER -> {
                enterAnew();
                return OFTEN;
            }
            case LEAVE -> latch.leave();
            case ASK -> {
                ask(row);
                return SOON;
            }
            case OPEN -> {
                return open(election, row);
            }
            case WAIT -> {
                if (roles.role() == Role.PROMOTING) {
                    standBack("the latch is no longer held");
                }
                return election.connected() && !election.standing() ? OFTEN : CHECK;
            }
        }
        return CHECK;
    }

    /** A place that was lost without notice, say because somebody deleted its node, must be given up first. */
    private void enterAnew() {
        if (!entering.isRunning() || entering.isOver()) {
            entering.begin();
            latch.leave();
            latch.enter();
        }
    }

    private void ask(EpochRow row) {
        beginPromotion();
        if (!ownerHandsOver.isRunning()) {
            ownerHandsOver.begin();
            register.askToHandOver(row.epoch(), node, "holds the latch");
            LOG.info("asked {} (epoch {}) to hand over", row.node(), row.epoch());
        }
    }

    private void beginPromotion() {
        if (roles.role() != Role.PROMOTING) {
            promotion = new Stopwatch(surroundings.ticker());
            roles.change(Role.PROMOTING, "holds the latch", knownEpoch(), 0, "[]");
        }
    }

    private Duration open(Election election, EpochRow row) {
        beginPromotion();
        promotion.lap("hand-over");
        String reason = reasonToOpen(row);
        Claimant claimant = new Claimant(node, incarnation, election.session(), election.czxid());
        Optional<Epoch> opened = register.open(row.epoch(), claimant, reason);
        ownerHandsOver.end();
        if (opened.isEmpty()) {
            standBack("another node opened an epoch first");
            return SOON;
        }
        promotion.lap("open epoch");
        epoch = opened.get();
        office = new Office(reason, row.resigned() || row.node() == null);
        return takeOffice();
    }

    private String reasonToOpen(EpochRow row) {
        if (row.node() == null) {
            return "first master";
        }
        if (row.node().equals(node)) {
            return row.resigned() ? "nobody took over after this node had stopped" : "this node was restarted";
        }
        return row.node() + (row.resigned() ? " handed over" : " does not answer");
    }

    /** The epoch is open; what may still fail is reading the first tasks, and that is tried again. */
    private Duration takeOffice() {
        duties.take(epoch, office.predecessorIsOver());
        promotion.lap("first heap page");
        roles.change(Role.MASTER, office.reason(), epoch.number(), promotion.millis(), promotion.json());
        return SOON;
    }

    private Duration giveUpOffice() {
        duties.stopClaiming(epoch);
        epoch = null;
        standBack("superseded before it had begun to fire");
        return SOON;
    }

    private void standBack(String reason) {
        ownerHandsOver.end();
        roles.change(Role.STANDBY, reason, knownEpoch(), promotion.millis(), promotion.json());
    }

    private Duration stepAsMaster() {
        Epoch current = epoch;
        if (current.equals(fencedEpoch) || isSuperseded(current)) {
            return demoteFenced(current);
        }
        String reason = reasonToHandOver(current);
        if (reason != null) {
            return demote(current, reason);
        }
        Election election = latch.look();
        latchHeld = election.held();
        if (election.connected() && !election.standing()) {
            enterAnew();
        }
        return surroundings.peerReach().isDatabaseReached() ? CHECK : OFTEN;
    }

    private String reasonToHandOver(Epoch current) {
        if (retiring) {
            return "stopping";
        }
        String asked = resignation;
        if (asked != null) {
            return asked;
        }
        if (surroundings.peerReach().isDatabaseReached()) {
            return handOverAsked(current);
        }
        return surroundings.peerReach().othersReach() ? "lost the database, which the other node reaches" : null;
    }

    private boolean isSuperseded(Epoch current) {
        try {
            return surroundings.peerReach().isDatabaseReached() && !register.confirm(current);
        } catch (DatabaseUnavailableException e) {
            return false;
        }
    }

    private String handOverAsked(Epoch current) {
        try {
            return register.handOverAsked(current).orElse(null);
        } catch (DatabaseUnavailableException e) {
            return null;
        }
    }

    /** Superseded: nothing may be written any more, so nothing is handed back and nothing is worth finishing. */
    private Duration demoteFenced(Epoch old) {
        Stopwatch stopwatch = new Stopwatch(surroundings.ticker());
        roles.change(Role.DEMOTING, "epoch " + old.number() + " was superseded", old.number(), 0, "[]");
        epoch = null;
        resignation = null;
        duties.stopClaiming(old);
        duties.interrupt(old);
        latch.leave();
        latchHeld = false;
        roles.change(Role.STANDBY, "fenced", old.number(), stopwatch.millis(), stopwatch.json());
        return Duration.ZERO;
    }

    private Duration demote(Epoch old, String reason) {
        Stopwatch stopwatch = new Stopwatch(surroundings.ticker());
        roles.change(Role.DEMOTING, reason, old.number(), 0, "[]");
        epoch = null;
        resignation = null;
        duties.stopClaiming(old);
        stopwatch.lap("stop claiming");
        giveUp(old, stopwatch);
        latch.leave();
        latchHeld = false;
        stopwatch.lap("leave latch");
        if (!retiring) {
            latch.enter();
        }
        long until = surroundings.ticker().nanos() + surroundings.drain().toNanos();
        draining = new Draining(old, until, stopwatch);
        return Duration.ZERO;
    }

    /** What can still be written is written; a database that does not answer must not keep the latch held. */
    private void giveUp(Epoch old, Stopwatch stopwatch) {
        try {
            duties.handBack(old);
            stopwatch.lap("hand back");
            register.resign(old, surroundings.drain());
            stopwatch.lap("resign");
        } catch (DatabaseUnavailableException e) {
            LOG.warn("handing over without a word to the database: {}", e.getMessage());
        }
    }

    private Duration stepAsDraining() {
        boolean isOver = hurried || surroundings.ticker().nanos() - draining.untilNanos() >= 0;
        boolean isFinished = duties.isFinished(draining.epoch());
        if (!isFinished && !isOver) {
            return SOON;
        }
        if (!isFinished) {
            duties.interrupt(draining.epoch());
        }
        sayDrained();
        Stopwatch since = draining.since();
        since.lap("drain");
        String reason = isFinished ? "drained" : "interrupted what still ran at the end of the drain time";
        roles.change(Role.STANDBY, reason, draining.epoch().number(), since.millis(), since.json());
        draining = null;
        return Duration.ZERO;
    }

    private void sayDrained() {
        try {
            register.drained(draining.epoch());
        } catch (DatabaseUnavailableException e) {
            LOG.debug("the successor will wait for the end of the drain: {}", e.getMessage());
        }
    }
}
