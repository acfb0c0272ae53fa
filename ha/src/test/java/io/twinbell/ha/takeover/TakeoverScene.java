package io.twinbell.ha.takeover;

import io.twinbell.ha.latch.Election;
import io.twinbell.ha.latch.LatchSessions;
import io.twinbell.ha.role.NoPeers;
import io.twinbell.ha.role.OwnerLoss;
import io.twinbell.ha.role.Role;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.takeover.MasterLock;
import io.twinbell.persistence.takeover.OwnerLocation;
import io.twinbell.persistence.takeover.OwnerLocation.LatchSession;
import io.twinbell.persistence.takeover.OwnerRecords;
import io.twinbell.persistence.takeover.OwnerSessions;
import io.twinbell.persistence.testing.HandTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/** Node b's fast takeover without any server: a test sets what the node sees, and each action adds a word to a list. */
final class TakeoverScene implements MasterLock, OwnerRecords, LatchSessions, Probe, HostWatch, NodeView {
    static final UUID MASTER = UUID.randomUUID();
    static final UUID SELF = UUID.randomUUID();
    static final long FREE_SINCE = 1_000_000;
    static final long SEEN = FREE_SINCE + 500;
    static final LatchSession SESSION_OF_A = new LatchSession(77, "aa", 5);
    private static final LatchSession SESSION_OF_B = new LatchSession(88, "bb", 9);

    final HandTicker ticker = new HandTicker();
    final List<String> calls = new ArrayList<>();
    final List<OwnerVerdict> verdicts = new ArrayList<>();
    final FastTakeover takeover = new FastTakeover(
            new FastTakeover.LocalNode("b", SELF, () -> "http://b:1"),
            this,
            new TakeoverPorts(this, this, this, this, this),
            ticker,
            verdicts::add,
            failure -> {});

    Role role = Role.STANDBY;
    Epoch epoch;
    long knownEpoch = 4;
    boolean standsInElection = true;

    Optional<String> unfit = Optional.empty();
    boolean isLockFree;
    boolean isMasterHolding = true;
    boolean isDatabaseDown;
    Optional<String> stranger = Optional.empty();

    Optional<OwnerLocation> owner = Optional.of(whereabouts(1));
    Optional<OwnerLocation> resigned = Optional.empty();
    boolean isSuperseded;
    Probe.Answer answer = Probe.Answer.SAME;
    Duration answersAfter = Duration.ZERO;
    Duration hostSilence = Duration.ZERO;
    OwnerSessions sessions = new OwnerSessions(12, FREE_SINCE - 200, SEEN);
    EndResult endResult = EndResult.ENDED;
    int takeoversOfLost;
    boolean isLeaving;
    boolean isOnHold;
    OwnerLoss loss;
    int backend = 4242;
    private boolean held;
    private int looksBeforeNext;
    private Optional<OwnerLocation> nextOwner = Optional.empty();

    static OwnerLocation whereabouts(int backend) {
        return new OwnerLocation(4, "a", MASTER, "http://a:1", SESSION_OF_A, backend);
    }

    /** Makes one step, and returns its actions in order, without those that only read. */
    List<String> step() {
        calls.clear();
        takeover.step();
        return List.copyOf(calls);
    }

    Duration stepAndSleep() {
        Duration sleep = Duration.ofNanos(takeover.step());
        ticker.pass(sleep);
        return sleep;
    }

    /** Lets the standby see a healthy master. */
    TakeoverScene watching() {
        step();
        if (takeover.obstacle().isPresent()) {
            throw new AssertionError(takeover.obstacle().get());
        }
        calls.clear();
        return this;
    }

    /** The master's process dies: its lock is free, its port refuses, its sessions are gone. */
    void masterDies() {
        isLockFree = true;
        isMasterHolding = false;
        answer = Probe.Answer.REFUSED;
        sessions = new OwnerSessions(0, 0, SEEN);
    }

    /** The master's host is gone: nothing answers any more, and the server has not noticed each session's end yet. */
    void masterIsLost() {
        isLockFree = true;
        isMasterHolding = false;
        answer = Probe.Answer.NONE;
        answersAfter = MasterWatch.JUDGED_WITHIN;
    }

    /** The master's host is gone, and the server does not know: the lock is still held for it. */
    void hostVanishes() {
        hostSilence = HostLoss.SILENT;
        answer = Probe.Answer.NONE;
        sessions = new OwnerSessions(12, SEEN - HostLoss.SILENT.toMillis(), SEEN);
    }

    /** The master loses the lock's connection and nothing else. */
    void masterLosesTheLock() {
        isLockFree = true;
        isMasterHolding = false;
    }

    @Override
    public Optional<String> unfit() {
        failIfDown();
        return unfit;
    }

    @Override
    public OptionalLong await(Duration bound) {
        failIfDown();
        if (held) {
            return OptionalLong.of(FREE_SINCE);
        }
        calls.add("wait " + bound);
        if (!isLockFree) {
            ticker.pass(bound);
            return OptionalLong.empty();
        }
        held = true;
        return OptionalLong.of(FREE_SINCE);
    }

    @Override
    public boolean isHeld() {
        failIfDown();
        return held;
    }

    @Override
    public int backend() {
        return held ? backend : 0;
    }

    @Override
    public void release() {
        if (held) {
            calls.add("release");
            held = false;
        }
    }

    @Override
    public Optional<String> evict() {
        calls.add("evict");
        isLockFree = stranger.isEmpty();
        return stranger;
    }

    @Override
    public boolean record(Epoch recording, OwnerLocation location) {
        failIfDown();
        calls.add("record " + location.session() + " backend " + location.lockBackend());
        return !isSuperseded;
    }

    @Override
    public Optional<OwnerLocation> owner() {
        failIfDown();
        Optional<OwnerLocation> seen = owner;
        if (looksBeforeNext > 0 && --looksBeforeNext == 0) {
            owner = nextOwner;
        }
        return seen;
    }

    /** Another owner is recorded after this many further reads. */
    void ownerAfterLooks(int looks, Optional<OwnerLocation> next) {
        looksBeforeNext = looks;
        nextOwner = next;
    }

    @Override
    public Optional<OwnerLocation> resigned() {
        failIfDown();
        return resigned;
    }

    @Override
    public boolean isLockHeldBy(int backend) {
        return isMasterHolding;
    }

    @Override
    public OwnerSessions sessionsOf(UUID incarnation) {
        return sessions;
    }

    @Override
    public void enterTakeover(String node, long ofEpoch, String verdict) {
        calls.add("enter " + verdict + " of epoch " + ofEpoch + " by " + node);
    }

    @Override
    public int takeoversOfLost(Duration within) {
        return takeoversOfLost;
    }

    @Override
    public Optional<LatchSession> own(Election seen) {
        return seen.standing() ? Optional.of(SESSION_OF_B) : Optional.empty();
    }

    @Override
    public EndResult end(LatchSession session) {
        calls.add("end " + session);
        return endResult;
    }

    @Override
    public Answer ask(String http, UUID incarnation) {
        ticker.pass(answersAfter);
        return answer;
    }

    @Override
    public Duration silence(String http) {
        return hostSilence;
    }

    @Override
    public Duration probeDelay() {
        return hostSilence.isZero() ? MasterWatch.RECORD_READ_EVERY : Duration.ofMillis(25);
    }

    @Override
    public void end() {
        hostSilence = Duration.ZERO;
    }

    @Override
    public Role role() {
        return role;
    }

    @Override
    public Epoch epoch() {
        return epoch;
    }

    @Override
    public long knownEpoch() {
        return knownEpoch;
    }

    @Override
    public Election election() {
        return standsInElection ? new Election(true, true, false, 88, 9, List.of("a", "b")) : Election.UNREACHABLE;
    }

    @Override
    public boolean isLeaving() {
        return isLeaving;
    }

    @Override
    public boolean isOnHold() {
        return isOnHold;
    }

    @Override
    public void ownerIsGone(OwnerLoss found) {
        calls.add(found == null ? "take back" : found.isProven() ? "owner is dead" : "owner is lost");
        loss = found;
    }

    private void failIfDown() {
        if (isDatabaseDown) {
            held = false;
            throw unavailable();
        }
    }

    /** The exception of a server that cannot be reached. */
    private static DatabaseUnavailableException unavailable() {
        try (DedicatedConnection nowhere = NoPeers.connection()) {
            nowhere.run(c -> null);
        } catch (DatabaseUnavailableException e) {
            return e;
        }
        throw new AssertionError("somebody answered");
    }
}
