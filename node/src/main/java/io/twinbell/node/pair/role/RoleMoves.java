package io.twinbell.node.pair.role;

import io.twinbell.ha.latch.Election;
import io.twinbell.ha.latch.LatchSessions;
import io.twinbell.node.api.cluster.ClusterView.SwitchoverResult;
import io.twinbell.node.api.cluster.RoleMoveBody;
import io.twinbell.node.pair.database.PairRegisters;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.EpochRow;
import io.twinbell.persistence.epoch.MoveRequest;
import io.twinbell.persistence.takeover.OwnerLocation;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Moves the master role at an operator's request, from either node. The request goes through the database, which also
 * allows the move while automatic takeover is on hold. A request that does not succeed in time is withdrawn.
 */
public final class RoleMoves {
    private static final Duration BOUND = Duration.ofSeconds(10);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(20);
    private static final Duration END_AGAIN = Duration.ofMillis(250);

    private final String nodeId;
    private final PairRegisters registers;
    private final LatchSessions sessions;
    private final EpochSignal signal;
    private final Runnable asked;
    private final Ticker ticker;

    /** @param asked called after a request was recorded, because this node may be the one to act on it */
    public RoleMoves(
            String nodeId, PairRegisters registers, LatchSessions sessions, EpochSignal signal, Runnable asked) {
        this.nodeId = nodeId;
        this.registers = registers;
        this.sessions = sessions;
        this.signal = signal;
        this.asked = asked;
        ticker = registers.ticker();
    }

    /**
     * Asks the master to hand over.
     *
     * @param standbys the nodes that stand in the election as standby and reach the database
     */
    public SwitchoverResult switchover(RoleMoveBody wish, List<String> standbys) {
        EpochRow before = registers.epochs().read();
        if (!before.isOwnerAlive()) {
            return new SwitchoverResult.Refused("there is no master that could hand over: use failover");
        }
        Optional<String> obstacle = obstacle(wish, before, standbys);
        return obstacle.isPresent()
                ? new SwitchoverResult.Refused(obstacle.get())
                : move(before, request(wish, "switchover by hand"), () -> "");
    }

    /**
     * Ends the ZooKeeper session that the owner has recorded, so that the latch moves on; the promotion is the ordinary
     * one.
     *
     * @param election reads the election afresh
     */
    public SwitchoverResult failover(RoleMoveBody wish, Supplier<Election> election, List<String> standbys) {
        Election now = election.get();
        if (!now.connected()) {
            return new SwitchoverResult.Refused("ZooKeeper does not answer node " + nodeId + ", so the latch cannot"
                    + " move. A live master continues to fire without ZooKeeper");
        }
        EpochRow before = registers.epochs().read();
        if (before.isOwnerAlive() && !wish.force()) {
            return new SwitchoverResult.Refused("master " + before.node() + " is alive (its last heartbeat is "
                    + before.heartbeatAgeMillis()
                    + " ms old): use switchover to move the role in an orderly way, or force to take it");
        }
        Optional<String> obstacle = obstacle(wish, before, standbys)
                .or(() -> isWithStandby(now, standbys) || before.resigned() || hasRecord(before)
                        ? Optional.empty()
                        : Optional.of("node " + before.node()
                                + " has not recorded the ZooKeeper session that holds the latch, so the session"
                                + " cannot be ended; retry the failover once the session has timed out"));
        return obstacle.isPresent()
                ? new SwitchoverResult.Refused(obstacle.get())
                : move(before, request(wish, "failover by hand"), new SessionEnd(before, election, standbys));
    }

    private static Optional<String> obstacle(RoleMoveBody wish, EpochRow before, List<String> standbys) {
        if (standbys.isEmpty()) {
            return Optional.of(
                    "there is no standby that could take over: no standby takes part in the election and reaches"
                            + " the database");
        }
        if (wish.to() == null || standbys.contains(wish.to())) {
            return Optional.empty();
        }
        return Optional.of(
                wish.to().equals(before.node()) && before.isOwnerAlive()
                        ? "node " + wish.to() + " is already master"
                        : "node " + wish.to() + " is not a standby; current standby: " + String.join(", ", standbys));
    }

    private static boolean isWithStandby(Election election, List<String> standbys) {
        return !election.nodes().isEmpty() && standbys.contains(election.nodes().get(0));
    }

    private boolean hasRecord(EpochRow row) {
        return recorded(row).isPresent();
    }

    private Optional<OwnerLocation> recorded(EpochRow row) {
        return (row.resigned()
                        ? registers.owners().resigned()
                        : registers.owners().owner())
                .filter(owner -> owner.epoch() == row.epoch());
    }

    private MoveRequest request(RoleMoveBody wish, String otherwise) {
        return new MoveRequest(
                wish.to(),
                Objects.requireNonNullElse(wish.by(), "node " + nodeId),
                Objects.requireNonNullElse(wish.reason(), otherwise));
    }

    /** @param push called repeatedly until the role has moved; returns its latest result */
    private SwitchoverResult move(EpochRow before, MoveRequest request, Supplier<String> push) {
        long began = ticker.nanos();
        long asking = registers.instructions().ask(before.epoch(), request);
        boolean isDone = false;
        try {
            asked.run();
            String pushed = "";
            EpochRow now = before;
            while (now.epoch() == before.epoch() && ticker.nanos() - began < BOUND.toNanos()) {
                pushed = push.get();
                signal.await(LOOK_AGAIN);
                now = registers.epochs().read();
            }
            isDone = hasMoved(before, now);
            long millis = (ticker.nanos() - began) / 1_000_000;
            return isDone
                    ? new SwitchoverResult.Done(before.node(), now.node(), now.epoch(), millis)
                    : new SwitchoverResult.TimedOut("node " + before.node() + " was asked to hand over " + millis
                            + " ms ago, but "
                            + (now.epoch() > before.epoch()
                                    ? "has opened the next epoch itself"
                                    : "no other node has opened an epoch; the request is withdrawn" + pushed));
        } finally {
            if (!isDone) {
                registers.instructions().withdraw(asking);
            }
        }
    }

    /**
     * Whether the role has moved to another process, or from an owner that had resigned; such an owner may itself have
     * opened the next epoch. A restarted node counts as another process.
     */
    private static boolean hasMoved(EpochRow before, EpochRow now) {
        return now.epoch() > before.epoch()
                && (before.resigned() || !now.incarnation().equals(before.incarnation()));
    }

    /** Ends the owner's recorded session, repeatedly until a standby is first in the election's queue. */
    private final class SessionEnd implements Supplier<String> {
        private final EpochRow before;
        private final Supplier<Election> election;
        private final List<String> standbys;
        private String said = "";
        private boolean hasTried;
        private long triedNanos;

        SessionEnd(EpochRow before, Supplier<Election> election, List<String> standbys) {
            this.before = before;
            this.election = election;
            this.standbys = standbys;
        }

        @Override
        public String get() {
            if (!hasTried || ticker.nanos() - triedNanos >= END_AGAIN.toNanos()) {
                hasTried = true;
                triedNanos = ticker.nanos();
                if (!isWithStandby(election.get(), standbys)) {
                    recorded(before)
                            .ifPresent(owner -> said = ". " + owner.session() + " of node " + owner.node() + ": "
                                    + sessions.end(owner.session()));
                }
            }
            return said;
        }
    }
}
