package io.twinbell.node.pair;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.ha.latch.Latch;
import io.twinbell.ha.latch.Peer;
import io.twinbell.ha.latch.Peers;
import io.twinbell.ha.role.Leadership;
import io.twinbell.ha.role.MasterDuties;
import io.twinbell.ha.role.PeerReach;
import io.twinbell.ha.role.Role;
import io.twinbell.ha.role.RoleRecord;
import io.twinbell.ha.takeover.FastTakeover;
import io.twinbell.ha.takeover.TakeoverPorts;
import io.twinbell.node.engine.Engine;
import io.twinbell.node.engine.Steps;
import io.twinbell.node.engine.run.EngineMetrics;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.handler.call.HandlerRunner;
import io.twinbell.persistence.cluster.NodeLock;
import io.twinbell.persistence.database.ChangeListener;
import io.twinbell.persistence.database.DatabaseHealthProbe;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.RoleHistory;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/** A node without a thread, a socket or a server, put together as {@link SchedulerNode} puts it together. */
public final class SteppedNode {
    private static final Duration JOIN_AGAIN = Duration.ofMillis(200);

    private final Engine engine;
    private final RoleRecord roles;
    private final Leadership leadership;
    private final RoleTasks roleTasks;
    private final NodeEvents nodeEvents;
    private final DatabaseHealthProbe pulse;
    private final Steps.Loop pulseLoop;
    private final Steps.Loop takeoverLoop;
    private final MetricRegistry metrics = new MetricRegistry();

    /** Which process it is, who steps it, and its clocks. */
    public record Self(String node, UUID incarnation, Steps steps, EngineClocks clocks, Duration drain) {}

    /** How it reaches the database, beside what fires. */
    public record Database(EpochRegister register, RoleHistory history, LongSupplier askMicros, NodeLock nodeLock) {}

    /** How it reaches ZooKeeper. */
    public record ZooKeeper(Latch latch, Peers peers, BooleanSupplier isConnected) {}

    /**
     * What fires.
     *
     * @param duties wraps what the role takes on and lays down; the engine itself in production
     */
    public record Firing(
            Engine.Ports ports, Engine.Bounds bounds, HandlerRunner handlers, UnaryOperator<MasterDuties> duties) {}

    public SteppedNode(Self self, Database database, ZooKeeper zooKeeper, Firing firing, TakeoverPorts takeover) {
        nodeEvents = new NodeEvents(self.node());
        pulse = new DatabaseHealthProbe(
                database.askMicros(),
                self.clocks().database(),
                self.clocks().monotonic(),
                self.clocks().uptime(),
                nodeEvents);
        engine = self.steps()
                .engine(
                        firing.ports(),
                        firing.bounds(),
                        self.clocks(),
                        firing.handlers(),
                        new EngineMetrics(metrics),
                        nodeEvents);
        roles = new RoleRecord(
                self.node(),
                self.incarnation(),
                database.history(),
                self.clocks().database(),
                nodeEvents::roleChanged);
        leadership = new Leadership(
                self.node(),
                self.incarnation(),
                zooKeeper.latch(),
                database.register(),
                firing.duties().apply(engine),
                roles,
                new Leadership.LeadershipContext(
                        self.clocks().monotonic(),
                        new PeerReach(
                                self.incarnation(),
                                zooKeeper.peers(),
                                pulse::isReached,
                                zooKeeper.isConnected(),
                                self.clocks().monotonic()),
                        self.drain()));
        roleTasks = new RoleTasks(
                leadership,
                roles,
                engine,
                database.register(),
                pulse,
                self.clocks().monotonic(),
                nodeEvents);
        FastTakeover watch = new FastTakeover(
                new FastTakeover.LocalNode(self.node(), self.incarnation(), () -> "http://" + self.node()),
                leadership,
                roles,
                takeover,
                self.clocks().monotonic(),
                verdict -> {},
                failure -> {});
        takeoverLoop = self.steps().loop("takeover", watch::step);
        pulseLoop = self.steps().loop("pulse", pulse::step);
        nodeEvents.connect(new NodeEvents.Parts(
                engine,
                leadership,
                roleTasks,
                () -> join(database, zooKeeper),
                new NodeEvents.Neighbours(
                        () -> announce(self, zooKeeper.peers()),
                        () -> announce(self, zooKeeper.peers()),
                        List.of(),
                        () -> {}),
                new NodeEvents.Database(database.nodeLock(), () -> {}, () -> {}),
                takeoverLoop::wake));
    }

    /** What {@link JoinTask} waits for. */
    private Duration join(Database database, ZooKeeper zooKeeper) {
        boolean isReady = pulse.isReached()
                && database.nodeLock().acquire()
                && zooKeeper.isConnected().getAsBoolean();
        return isReady ? null : JOIN_AGAIN;
    }

    private void announce(Self self, Peers peers) {
        peers.announce(new Peer(
                self.node(),
                self.incarnation().toString(),
                roles.role().name(),
                "http://" + self.node(),
                "",
                "",
                leadership.peerReach().word()));
    }

    /** Whether its pulse says so. */
    public boolean reachesDatabase() {
        return pulse.isReached();
    }

    /** Told by the ZooKeeper of this node, as {@code CuratorPeers} does. */
    public void peersChanged() {
        nodeEvents.peersChanged();
    }

    /** Who is told of changes of role. */
    public void tells(io.twinbell.ha.role.RoleListener listener) {
        nodeEvents.show(listener);
    }

    /** The order of {@link SchedulerNode#start}. */
    public void start() {
        pulseLoop.start();
        takeoverLoop.start();
        engine.start(new SystemTasks.Work(
                nodeEvents::init, roleTasks::heartbeat, roleTasks::changeMasterCheck, roleTasks::settle));
        engine.systemTasks().soon(SystemTasks.INIT);
    }

    public void wakeTakeover() {
        takeoverLoop.wake();
    }

    /** What the listener's connection brings. */
    public ChangeListener.Changes changes() {
        return nodeEvents;
    }

    /** Told by the ZooKeeper of this node, as {@code ZooKeeperLink} does. */
    public void zooKeeperChanged() {
        nodeEvents.zooKeeperChanged();
    }

    /** The latch has changed. */
    public void roleMayChange() {
        nodeEvents.roleMayChange();
    }

    public Role role() {
        return roles.role();
    }

    public void resign(String reason) {
        leadership.resign(reason);
        roleTasks.soon();
    }

    public void retire() {
        leadership.retire();
        roleTasks.soon();
    }

    public void stop() {
        engine.close();
    }

    /** Due tasks that the heap lacked. */
    public long heapMisses() {
        return metrics.counter("heap_misses").getCount();
    }

    public long fencedWrites() {
        return metrics.counter("fenced_writes").getCount();
    }
}
