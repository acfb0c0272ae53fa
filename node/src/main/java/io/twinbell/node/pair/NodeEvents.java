package io.twinbell.node.pair;

import io.twinbell.ha.role.Leadership;
import io.twinbell.ha.role.PeerReach;
import io.twinbell.ha.role.Role;
import io.twinbell.ha.role.RoleListener;
import io.twinbell.node.engine.Engine;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.persistence.cluster.NodeIdInUseException;
import io.twinbell.persistence.cluster.NodeLock;
import io.twinbell.persistence.cluster.WrongClusterException;
import io.twinbell.persistence.database.ChangeListener;
import io.twinbell.persistence.database.DatabaseHealthProbe;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.WrongSchemaException;
import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dispatches this node's events: connections lost and restored, changed tasks, changed roles. Each event only wakes the
 * part that handles it; no event is handled on the thread that reports it.
 */
final class NodeEvents
        implements DatabaseHealthProbe.Listener, ChangeListener.Changes, RoleTasks.PeriodicWork, Engine.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(NodeEvents.class);

    private final String nodeId;
    private final EpochSignal epochSignal = new EpochSignal();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private Parts parts;
    private volatile RoleListener shown = (from, to, reason, epoch) -> {};
    private volatile boolean joined;
    private volatile String refusal;

    /** The parts that receive the events. */
    record Parts(
            Engine engine,
            Leadership leadership,
            RoleTasks roleTasks,
            Supplier<Duration> joining,
            Neighbours neighbours,
            Database database,
            Runnable wakeTakeover) {}

    /** Callbacks for publishing this node's entry, for the standby's warm-ups, and for reading the hold. */
    record Neighbours(Runnable begin, Runnable announce, List<Runnable> warmUps, Runnable readHold) {}

    /**
     * What the system worker may be waiting for: the node's lock, the check of the schema version, and its connections.
     */
    record Database(NodeLock nodeLock, Runnable keepToSchema, Runnable breakOff) {}

    NodeEvents(String nodeId) {
        this.nodeId = nodeId;
    }

    /** Connects the parts. They need this object before it knows them, so no event may occur before this call. */
    void connect(Parts connected) {
        parts = connected;
    }

    /** Sets the listener that also receives role changes. */
    void show(RoleListener listener) {
        shown = listener;
    }

    CompletableFuture<Void> ended() {
        return ended;
    }

    /** Why this node must not run; empty if no reason was found. */
    Optional<String> refusal() {
        return Optional.ofNullable(refusal);
    }

    EpochSignal epochSignal() {
        return epochSignal;
    }

    /** The init task: joins the pair, or returns how long to wait before the next attempt. */
    Duration init() {
        if (joined) {
            return null;
        }
        try {
            Duration again = parts.joining().get();
            if (again != null) {
                return again;
            }
        } catch (WrongClusterException | NodeIdInUseException | WrongSchemaException e) {
            refuse(e);
            return null;
        }
        parts.neighbours().begin().run();
        parts.leadership().join();
        joined = true;
        parts.roleTasks().soon();
        return null;
    }

    private void refuse(RuntimeException reason) {
        LOG.error("node {} stops: {}", nodeId, reason.getMessage());
        refusal = reason.getMessage();
        parts.leadership().retire();
        parts.roleTasks().soon();
        ended.completeExceptionally(reason);
    }

    @Override
    public List<Runnable> warmUps() {
        List<Runnable> all = new ArrayList<>(parts.engine().warmUps());
        all.addAll(parts.neighbours().warmUps());
        return all;
    }

    @Override
    public void readHold() {
        parts.neighbours().readHold().run();
    }

    /**
     * Checks that this process still holds the lock of its node id and that the schema still allows this build. Another
     * process under the same node id would be mistaken for this node, so this one stops; and a build that is too old
     * for the schema must not write to it.
     */
    @Override
    public void keepNodeLock() {
        try {
            if (!parts.database().nodeLock().acquire()) {
                refuse(new NodeIdInUseException("node.id \"" + nodeId + "\" is now in use by "
                        + parts.database().nodeLock().holder()));
            }
            parts.database().keepToSchema().run();
        } catch (WrongSchemaException e) {
            refuse(e);
        } catch (DatabaseUnavailableException e) {
            // The lock was released with its connection; it is taken again within three seconds.
            LOG.debug("the lock of the node id is not held: {}", e.getMessage());
        }
    }

    /** Synchronised because several threads report changes and the last published entry must be the newest. */
    private synchronized void announce() {
        parts.neighbours().announce().run();
    }

    void roleMayChange() {
        parts.roleTasks().soon();
    }

    void zooKeeperChanged() {
        if (parts.leadership().peerReach().zooKeeperChanged() && joined) {
            announce();
        }
        parts.roleTasks().soon();
    }

    void roleChanged(Role from, Role to, String reason, long epoch) {
        announce();
        parts.wakeTakeover().run();
        shown.roleChanged(from, to, reason, epoch);
        epochSignal.signal();
    }

    @Override
    public void superseded(Epoch epoch, int refusedWrites) {
        parts.leadership().fenced(epoch);
        parts.roleTasks().soon();
    }

    @Override
    public void firstFired(Epoch epoch, long micros) {
        parts.roleTasks().firstFired(epoch, micros);
    }

    /** Called when another node's entry has changed. It may ask whether this node reaches the database. */
    void peersChanged() {
        PeerReach reach = parts.leadership().peerReach();
        reach.listen();
        if (joined && reach.owesAnswer()) {
            announce();
        }
    }

    @Override
    public void reachChanged(boolean reached) {
        parts.leadership().peerReach().reachChanged(reached);
        if (!reached) {
            // The connections' own timeouts are longer than the time within which a cut-off master has to step down.
            parts.database().breakOff().run();
        }
        if (joined) {
            announce();
        }
        rescheduleSystemTasks();
    }

    @Override
    public void clockJumped(long millis) {
        rescheduleSystemTasks();
    }

    /**
     * Reschedules the system tasks. They are due by the database's clock, so after a jump or the first measurement of
     * that clock they may be far off.
     */
    private void rescheduleSystemTasks() {
        if (!joined) {
            parts.engine().systemTasks().soon(SystemTasks.INIT);
        }
        parts.roleTasks().soon();
        parts.engine().clockJumped();
    }

    @Override
    public void listening() {
        parts.engine().everythingChanged();
        parts.roleTasks().soon();
    }

    @Override
    public void tasksChanged(long[] taskIds) {
        parts.engine().changed(taskIds);
    }

    @Override
    public void ledgerChanged() {
        parts.engine().ledgerChanged();
    }

    @Override
    public void limitsChanged() {
        parts.engine().limitsChanged();
    }

    @Override
    public void calendarsChanged() {
        parts.engine().calendarsChanged();
    }

    @Override
    public void epochChanged() {
        parts.roleTasks().soon();
        epochSignal.signal();
    }
}
