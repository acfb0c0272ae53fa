package io.twinbell.node.pair;

import io.twinbell.ha.latch.Peers;
import io.twinbell.ha.role.Leadership;
import io.twinbell.ha.role.Role;
import io.twinbell.node.engine.Engine;
import io.twinbell.node.engine.SystemTasks;
import io.twinbell.ops.jmx.ManagementBeans;
import io.twinbell.persistence.cluster.NodeLock;
import io.twinbell.persistence.cluster.WrongClusterException;
import io.twinbell.persistence.database.ChangeListener;
import io.twinbell.persistence.database.DatabasePulse;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.WrongSchemaException;
import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this node does when something happens: servers come and go, tasks are written, roles change. Each event only wakes
 * whoever deals with it; nothing is dealt with on the thread that brings the news.
 */
final class Membership implements DatabasePulse.Listener, ChangeListener.Changes, RoleTasks.Chores {
    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);

    private final String nodeId;
    private final EpochSignal epochSignal = new EpochSignal();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private Parts parts;
    private volatile ManagementBeans beans;
    private volatile boolean joined;

    /** Whom the news is for. */
    record Parts(
            Engine engine,
            Leadership leadership,
            RoleTasks roleTasks,
            Joining joining,
            Membership.Shown shown,
            NodeLock nodeLock,
            Runnable wakeTakeover) {}

    /** What the other node and JMX are shown. */
    record Shown(NodeState state, Peers peers, Runnable beginPeers, Runnable warmUpCalls) {}

    Membership(String nodeId) {
        this.nodeId = nodeId;
    }

    /** The parts know this object before it knows them; nothing happens before this is called. */
    void connect(Parts connected) {
        parts = connected;
    }

    void show(ManagementBeans shownBeans) {
        beans = shownBeans;
    }

    CompletableFuture<Void> ended() {
        return ended;
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
            Duration again = parts.joining().attempt();
            if (again != null) {
                return again;
            }
        } catch (WrongClusterException | WrongSchemaException e) {
            refuse(e);
            return null;
        }
        parts.shown().beginPeers().run();
        parts.leadership().join();
        joined = true;
        parts.roleTasks().soon();
        return null;
    }

    private void refuse(RuntimeException reason) {
        LOG.error("node {} must not run: {}", nodeId, reason.getMessage());
        parts.leadership().retire();
        parts.roleTasks().soon();
        ended.completeExceptionally(reason);
    }

    @Override
    public void warmUp() {
        parts.engine().warmUp();
        parts.shown().warmUpCalls().run();
    }

    /** Another process under this node's id would be taken for this node: rather none than two. */
    @Override
    public void keepNodeLock() {
        try {
            if (!parts.nodeLock().hold()) {
                refuse(new WrongClusterException("node.id \"" + nodeId + "\" was taken over by "
                        + parts.nodeLock().holder()));
            }
        } catch (DatabaseUnavailableException e) {
            // The lock went with its connection; it is taken again within three seconds.
            LOG.debug("the node's lock is not held: {}", e.getMessage());
        }
    }

    void roleMayChange() {
        parts.roleTasks().soon();
    }

    void roleChanged(Role from, Role to, String reason, long epoch) {
        parts.shown().peers().announce(parts.shown().state().entry());
        parts.wakeTakeover().run();
        beans.roleChanged(from.name(), to.name(), reason, epoch);
        epochSignal.tell();
    }

    void fenced(Epoch epoch) {
        parts.leadership().fenced(epoch);
        parts.roleTasks().soon();
    }

    @Override
    public void reachChanged(boolean reached) {
        if (joined) {
            parts.shown().peers().announce(parts.shown().state().entry());
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
    public void epochChanged() {
        parts.roleTasks().soon();
        epochSignal.tell();
    }
}
