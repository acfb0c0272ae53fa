package io.twinbell.ha.role;

import io.twinbell.ha.latch.Peer;
import io.twinbell.ha.latch.Peers;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.EpochRow;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.epoch.JdbcRoleHistory;
import io.twinbell.persistence.testing.HandTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The leadership of a node, stepped by the test, on a real epoch register. Records everything that it does, in order.
 */
final class TestNode implements AutoCloseable {
    static final Duration DRAIN = Duration.ofSeconds(30);

    final List<String> calls = new ArrayList<>();
    final Line.Place latch;
    final Leadership leadership;
    final RoleRecord roles;
    final JdbcRoleHistory history;
    /** Runs between the last check of the owner and the attempt to open the next epoch. */
    Runnable beforeOpening = () -> {};

    boolean reachesDatabase = true;
    boolean reachesZooKeeper = true;
    boolean takingFails;
    boolean askingFails;
    boolean handingBackFails;
    boolean isFinished = true;
    /** Epochs under which nothing runs any more, although {@link #isFinished} says otherwise. */
    final Set<Long> finished = new HashSet<>();

    final List<Long> interrupted = new ArrayList<>();
    final List<Long> drained = new ArrayList<>();
    boolean otherReachesDatabase = true;
    private String answers = "";

    private final DedicatedConnection connection;
    private final EpochRegister real;
    private final EpochRegister broken = new JdbcEpochRegister(NoPeers.settings(), NoPeers.connection());

    TestNode(DatabaseSettings settings, Line line, HandTicker ticker) {
        connection = new DedicatedConnection(settings, "epoch", 5);
        real = new JdbcEpochRegister(settings, connection);
        history = new JdbcRoleHistory(connection);
        latch = line.place(settings.node(), calls);
        roles = new RoleRecord(settings.node(), settings.incarnation(), history, () -> 0, (from, to, why, epoch) -> {});
        leadership = new Leadership(
                settings.node(),
                settings.incarnation(),
                latch,
                new Told(),
                new Told(),
                roles,
                new Leadership.LeadershipContext(
                        ticker,
                        new PeerReach(
                                settings.incarnation(),
                                new Told(),
                                () -> reachesDatabase,
                                () -> reachesZooKeeper,
                                ticker),
                        DRAIN));
        leadership.join();
    }

    Role role() {
        return roles.role();
    }

    Duration step() {
        hearsTheOther();
        return leadership.step();
    }

    /** Both entries are written and read as they change. */
    void hearsTheOther() {
        answers = leadership.peerReach().word().asks();
        leadership.peerReach().listen();
    }

    /** Steps until the node is master. Fails if that takes more than a few steps. */
    TestNode becomesMaster() {
        for (int i = 0; i < 5 && role() != Role.MASTER; i++) {
            step();
        }
        if (role() != Role.MASTER) {
            throw new AssertionError("not master but " + role() + " after " + calls);
        }
        calls.clear();
        return this;
    }

    EpochRow owner() {
        return real.read();
    }

    boolean beat() {
        return real.beat(leadership.epoch());
    }

    @Override
    public void close() {
        connection.close();
    }

    /** The node's duties, peers and register. Each call adds a word to {@link #calls}. */
    private final class Told implements MasterDuties, Peers, EpochRegister {
        private EpochRegister register() {
            return reachesDatabase ? real : broken;
        }

        @Override
        public void take(Epoch epoch, Predecessor predecessor) {
            boolean isSinceKnown = predecessor.overAtMillis() != Long.MAX_VALUE;
            calls.add("take, predecessor "
                    + (!predecessor.isOver()
                            ? "unknown"
                            : isSinceKnown ? "dead since " + predecessor.overAtMillis() : "over"));
            if (takingFails) {
                broken.read();
            }
        }

        @Override
        public void stopClaiming(Epoch epoch) {
            calls.add("stop claiming");
        }

        @Override
        public void handBack(Epoch epoch, Duration kept) {
            calls.add("hand back" + (kept.isZero() ? "" : ", but keep " + kept));
            if (!reachesDatabase || handingBackFails) {
                broken.read();
            }
        }

        @Override
        public boolean isFinished(Epoch epoch) {
            return isFinished || finished.contains(epoch.number());
        }

        @Override
        public void interrupt(Epoch epoch) {
            calls.add("interrupt");
            interrupted.add(epoch.number());
        }

        @Override
        public void announce(Peer self) {}

        @Override
        public List<Peer> others() {
            return List.of(new Peer(
                    "other", "", "STANDBY", "", "", "", "", new Peer.ReachReport(otherReachesDatabase, "", answers)));
        }

        @Override
        public EpochRow read() {
            return register().read();
        }

        @Override
        public Optional<Epoch> open(long expected, Claimant claimant, String reason) {
            calls.add("open");
            beforeOpening.run();
            return register().open(expected, claimant, reason);
        }

        @Override
        public boolean beat(Epoch epoch) {
            return register().beat(epoch);
        }

        @Override
        public boolean confirm(Epoch epoch) {
            return register().confirm(epoch);
        }

        @Override
        public boolean resign(Epoch epoch, Duration drain) {
            calls.add("resign with " + drain);
            return register().resign(epoch, drain);
        }

        @Override
        public void drained(Epoch epoch) {
            calls.add("drained");
            drained.add(epoch.number());
            register().drained(epoch);
        }

        @Override
        public void askToHandOver(long epoch, String askedBy, String reason) {
            calls.add("ask");
            (askingFails ? broken : register()).askToHandOver(epoch, askedBy, reason);
        }

        @Override
        public Optional<String> handOverAsked(Epoch epoch) {
            return register().handOverAsked(epoch);
        }
    }
}
