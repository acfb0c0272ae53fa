package io.twinbell.ha.takeover;

import io.twinbell.ha.latch.Election;
import io.twinbell.ha.role.Leadership;
import io.twinbell.ha.role.OwnerLoss;
import io.twinbell.ha.role.Role;
import io.twinbell.ha.role.RoleRecord;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Detects the master's death through its database lock, before its ZooKeeper session times out. When a process dies,
 * its kernel closes its sockets at once and the database server releases its locks, while its ZooKeeper session lives
 * on until it times out.
 *
 * <p>Fast takeover only ever ends a ZooKeeper session. Latch and epoch still decide which node is master, so a failure
 * or a wrong verdict here costs only time.
 *
 * <p>One thread steps it, separate from the thread that steps the role.
 */
public final class FastTakeover {
    private static final Duration AFTER_FAILURE = Duration.ofMillis(200);
    private static final Duration SHORTLY = Duration.ofMillis(20);
    private static final Duration BETWEEN_ROLES = Duration.ofMillis(100);
    private static final Duration UNFIT = Duration.ofSeconds(30);

    private final LocalNode localNode;
    private final TakeoverPorts ports;
    private final NodeView nodeView;
    private final FastTakeoverStatus status = new FastTakeoverStatus();
    private final MasterLockKeeper masterLockKeeper;
    private final MasterWatch masterWatch;
    private final Consumer<RuntimeException> onFailure;
    private volatile boolean lockHeld;

    /**
     * This process.
     *
     * @param http supplies the address of its API; empty until the API is up
     */
    public record LocalNode(String node, UUID incarnation, Supplier<String> http) {}

    /**
     * Creates this node's part in fast takeover.
     *
     * @param onVerdict called each time the master's lock became free and the verdict on the master is known
     * @param onFailure called each time a pass failed; the pass is retried
     */
    public FastTakeover(
            LocalNode localNode,
            Leadership leadership,
            RoleRecord roles,
            TakeoverPorts ports,
            Ticker ticker,
            Consumer<OwnerVerdict> onVerdict,
            Consumer<RuntimeException> onFailure) {
        this(localNode, nodeViewOf(leadership, roles), ports, ticker, onVerdict, onFailure);
    }

    FastTakeover(
            LocalNode localNode,
            NodeView nodeView,
            TakeoverPorts ports,
            Ticker ticker,
            Consumer<OwnerVerdict> onVerdict,
            Consumer<RuntimeException> onFailure) {
        this.localNode = localNode;
        this.onFailure = onFailure;
        this.ports = ports;
        this.nodeView = nodeView;
        masterLockKeeper = new MasterLockKeeper(localNode, ports, nodeView, status);
        masterWatch = new MasterWatch(localNode, ports, nodeView, status, ticker, onVerdict);
    }

    private static NodeView nodeViewOf(Leadership leadership, RoleRecord roles) {
        return new NodeView() {
            @Override
            public Role role() {
                return roles.role();
            }

            @Override
            public Epoch epoch() {
                return leadership.epoch();
            }

            @Override
            public long knownEpoch() {
                return roles.knownEpoch();
            }

            @Override
            public Election election() {
                return leadership.election();
            }

            @Override
            public boolean isLeaving() {
                return leadership.isLeaving();
            }

            @Override
            public boolean isOnHold() {
                return leadership.isOnHold();
            }

            @Override
            public void ownerIsGone(OwnerLoss loss) {
                leadership.ownerIsGone(loss);
            }
        };
    }

    /** Whether this node holds the master's database lock, as far as it knows. */
    public boolean isLockHeld() {
        return lockHeld;
    }

    /** Why this node's part in fast takeover is not ready; empty if it is. */
    public Optional<String> obstacle() {
        return Optional.ofNullable(status.obstacle());
    }

    /** Makes one pass, which waits at most one second for the lock. Returns how long to sleep, in nanoseconds. */
    public long step() {
        try {
            Duration next = stepAs(nodeView.role());
            lockHeld = ports.lock().backend() != 0;
            return next.toNanos();
        } catch (DatabaseUnavailableException e) {
            lockHeld = false;
            masterWatch.lostConnection();
            // The failure is logged by onFailure, which bounds the lines of a database that fails at every other use.
            status.leave(e.summary());
            onFailure.accept(e);
            return AFTER_FAILURE.toNanos();
        }
    }

    private Duration stepAs(Role role) {
        return switch (role) {
            case STOPPED -> releaseLock();
            // A drain may take long, and meanwhile this node is the standby of its successor.
            case DEMOTING -> isRecorded() ? SHORTLY : stepIfFit(Role.STANDBY);
            case PROMOTING -> BETWEEN_ROLES;
            case STANDBY, MASTER -> stepIfFit(role);
        };
    }

    private Duration stepIfFit(Role role) {
        Optional<String> unfit = ports.lock().unfit();
        unfit.ifPresent(status::disablePermanently);
        return unfit.isPresent() ? UNFIT : stepFit(role);
    }

    private Duration stepFit(Role role) {
        Epoch epoch = nodeView.epoch();
        if (role == Role.STANDBY) {
            return masterWatch.step();
        }
        masterWatch.end();
        return epoch == null ? BETWEEN_ROLES : masterLockKeeper.step(epoch);
    }

    /**
     * Whether this node is still recorded as the owner. If it released the lock before its epoch is resigned, a standby
     * that gets the lock would investigate a death that did not happen.
     */
    private boolean isRecorded() {
        return lockHeld
                && ports.records()
                        .owner()
                        .filter(owner -> owner.incarnation().equals(localNode.incarnation()))
                        .isPresent();
    }

    private Duration releaseLock() {
        masterWatch.end();
        ports.lock().release();
        status.leave("the node is neither master nor standby");
        return MasterWatch.WATCH_STEP;
    }
}
