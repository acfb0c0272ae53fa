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
 * What this node does when something happens: servers come and go, tasks are written, roles change. Each event only wakes
 * whoever deals with it; nothing is dealt with on the thread that brings the news.
 */
final class NodeEvents implements DatabaseHealthProbe.Listener, ChangeListener.Changes, RoleTasks.Chores {
    private static final Logger LOG = LoggerFactory.getLogger(NodeEvents.class);

    private final String nodeId;
    private final EpochSignal epochSignal = new EpochSignal();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private Parts parts;
    private volatile RoleListener shown = (from, to, reason, epoch) -> {};
    private volatile boolean joined;
    private volatile String refusal;

    /** Whom the news is for. */
    record Parts(
            Engine engine,
            Leadership leadership,
            RoleTasks roleTasks,
            Supplier<Duration> joining,
            Neighbours neighbours,
            Database database,
            Runnable wakeTakeover) {}

    /** What the other node is shown, what a standby keeps warm, and what people have decided about takeovers. */
    record Neighbours(Runnable begin, Runnable announce, List<Runnable> warmUps, Runnable readHold) {}

    /** What the system worker may be waiting for: the node's lock, the schema's rule, and the connections that it asks on. */
    record Database(NodeLock nodeLock, Runnable keepToSchema, Runnable breakOff) {}

    NodeEvents(String nodeId) {
        this.nodeId = nodeId;
    }

    /** The parts know this object before it knows them; nothing happens before this is called. */
    void connect(Parts connected) {
        parts = connected;
    }

    /** Who else is told of changes of role. */
    void show(RoleListener listener) {
        shown = listener;
    }

    CompletableFuture<Void> ended() {
        return ended;
    }

    /** Why this node must not run, if it has found so. */
    Optional<String> refusal() {
        return Optional.ofNullable(refusal);
    }

    EpochSignal epochSignal() {
        return epochSignal;
    }

    /** The init task: joins the pair, or says when to try again. */
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
        LOG.error("node {} must not run: {}", nodeId, reason.getMessage());
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
     * Another process under this node's id would be taken for this node: rather none than two. And a build that the
     * schema has outgrown must not write to it.
     */
    @Override
    public void keepNodeLock() {
        try {
            if (!parts.database().nodeLock().hold()) {
                refuse(new NodeIdInUseException("node.id \"" + nodeId + "\" was taken over by "
                        + parts.database().nodeLock().holder()));
            }
            parts.database().keepToSchema().run();
        } catch (WrongSchemaException e) {
            refuse(e);
        } catch (DatabaseUnavailableException e) {
            // The lock went with its connection; it is taken again within three seconds.
            LOG.debug("the node's lock is not held: {}", e.getMessage());
        }
    }

    /** Several threads have news; the last entry that is told must be the newest. */
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
        epochSignal.tell();
    }

    void fenced(Epoch epoch) {
        parts.leadership().fenced(epoch);
        parts.roleTasks().soon();
    }

    /** Another node's entry is another now. It may ask whether this node reaches the database. */
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
            // Its timeouts are longer than the time in which a master that is cut off has to go.
            parts.database().breakOff().run();
        }
        if (joined) {
            announce();
        }
        setSystemTasksAnew();
    }

    @Override
    public void clockJumped(long millis) {
        setSystemTasksAnew();
    }

    /** System tasks are due by the database's clock: after it has jumped, or was measured first, they may be far off. */
    private void setSystemTasksAnew() {
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
        epochSignal.tell();
    }
}
