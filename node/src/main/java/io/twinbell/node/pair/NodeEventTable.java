package io.twinbell.node.pair;

import io.twinbell.ha.role.Leadership;
import io.twinbell.ha.role.PeerReach;
import io.twinbell.node.engine.Engine;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.loop.Signals;
import io.twinbell.node.pair.role.EpochSignal;
import io.twinbell.node.pair.role.RoleTasks;

/**
 * The table of a node's events: which part handles each of them. A handler here only wakes a thread or leaves a note
 * for it, so nothing is processed on the thread that raises the event.
 */
final class NodeEventTable {
    private final Engine engine;
    private final Leadership leadership;
    private final RoleTasks roleTasks;
    private final EngineSignals engineListener;
    private final PairMembership membership;
    private final EpochSignal epochSignal;

    NodeEventTable(
            Engine engine,
            RoleParts role,
            EngineSignals engineListener,
            PairMembership membership,
            EpochSignal epochSignal) {
        this.engine = engine;
        leadership = role.leadership();
        roleTasks = role.tasks();
        this.engineListener = engineListener;
        this.membership = membership;
        this.epochSignal = epochSignal;
    }

    /**
     * Call it before any thread of the node starts.
     *
     * @param breakOff breaks the connections that the system worker may be waiting for
     * @param startBackground starts the background work, if it still waits for the first task to fire
     */
    void connect(
            Signals<NodeEvent> signals,
            Runnable wakeTakeover,
            Runnable breakOff,
            Runnable wakeChangeStream,
            Runnable wakeAlerts,
            Runnable startBackground) {
        PeerReach reach = leadership.peerReach();
        signals.on(NodeEvent.DATABASE_REACHED, () -> reach.reachChanged(true))
                .on(NodeEvent.DATABASE_REACHED, membership::announceIfJoined, this::runSystemTasks)
                // The connections' own timeouts are longer than the time within which a cut-off master has to step
                // down.
                .on(NodeEvent.DATABASE_LOST, () -> reach.reachChanged(false), breakOff)
                .on(NodeEvent.DATABASE_LOST, membership::announceIfJoined, this::runSystemTasks)
                .on(NodeEvent.DATABASE_CLOCK_JUMPED, this::runSystemTasks)
                .on(NodeEvent.NOTIFICATIONS_RESUMED, engine::everythingChanged, roleTasks::soon)
                .on(NodeEvent.EPOCH_NOTIFIED, roleTasks::soon, epochSignal::signal)
                .on(NodeEvent.ZOOKEEPER_CHANGED, this::zooKeeperChanged, roleTasks::soon)
                .on(NodeEvent.LATCH_CHANGED, roleTasks::soon)
                .on(NodeEvent.PEERS_CHANGED, this::peersChanged)
                .on(NodeEvent.ROLE_CHANGED, membership::announce, wakeTakeover, epochSignal::signal)
                .on(NodeEvent.EPOCH_SUPERSEDED, () -> leadership.fenced(engineListener.superseded()), roleTasks::soon)
                .on(NodeEvent.FIRST_FIRED, startBackground, roleTasks::soon)
                .on(NodeEvent.MOVE_REQUESTED, roleTasks::soon)
                .on(NodeEvent.JOINED, roleTasks::soon)
                .on(NodeEvent.REFUSED, roleTasks::soon)
                .on(NodeEvent.STREAM_OPENED, wakeChangeStream)
                .on(NodeEvent.ALERT_ATTEMPT_ENDED, wakeAlerts);
    }

    /**
     * Runs the system tasks now. They are due by the database's clock, so after its first measurement or a jump their
     * due times may be far in the future.
     */
    private void runSystemTasks() {
        joinSoon();
        roleTasks.soon();
        engine.clockJumped();
    }

    private void joinSoon() {
        if (!membership.hasJoined()) {
            engine.systemTasks().soon(SystemTasks.INIT);
        }
    }

    private void zooKeeperChanged() {
        // A node that joins may be waiting for this connection.
        joinSoon();
        if (leadership.peerReach().zooKeeperChanged()) {
            membership.announceIfJoined();
        }
    }

    /** Another node's entry may ask whether this node reaches the database. */
    private void peersChanged() {
        PeerReach reach = leadership.peerReach();
        reach.listen();
        if (membership.hasJoined() && reach.owesAnswer()) {
            membership.announce();
        }
    }
}
