package io.twinbell.node.pair;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.ha.latch.Latch;
import io.twinbell.ha.latch.Peer;
import io.twinbell.ha.latch.Peers;
import io.twinbell.ha.role.MasterDuties;
import io.twinbell.ha.role.Role;
import io.twinbell.ha.role.RoleListener;
import io.twinbell.ha.role.RoleRecord;
import io.twinbell.ha.takeover.FastTakeover;
import io.twinbell.ha.takeover.TakeoverPorts;
import io.twinbell.node.engine.Engine;
import io.twinbell.node.engine.EngineBounds;
import io.twinbell.node.engine.EnginePorts;
import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.loop.Signals;
import io.twinbell.node.metrics.NodeMetrics;
import io.twinbell.node.pair.database.ChangeListener;
import io.twinbell.node.pair.database.DatabaseHealthProbe;
import io.twinbell.node.pair.role.EpochSignal;
import io.twinbell.node.virtual.Steps;
import io.twinbell.persistence.cluster.NodeLock;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.RoleHistory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/** A node without threads, sockets and servers, assembled as {@link SchedulerNode} assembles it. */
public final class SteppedNode {
    private static final Duration JOIN_AGAIN = Duration.ofMillis(200);

    private final Signals<NodeEvent> signals = new Signals<>(NodeEvent.class);
    private final List<RoleListener> roleListeners = new ArrayList<>();
    private final Engine engine;
    private final RoleRecord roles;
    private final RoleParts role;
    private final PairMembership membership;
    private final DatabaseHealthProbe healthProbe;
    private final Steps.SteppedLoop probeLoop;
    private final Steps.SteppedLoop takeoverLoop;
    private final MetricRegistry metrics = new MetricRegistry();

    /** The node's process, its steps and its clocks. */
    public record Self(String node, UUID incarnation, Steps steps, EngineClocks clocks, Duration drain) {}

    /** The node's access to the database, except for the engine's. */
    public record Database(EpochRegister register, RoleHistory history, LongSupplier askMicros, NodeLock nodeLock) {}

    /** The node's access to ZooKeeper. */
    public record ZooKeeper(Latch latch, Peers peers, BooleanSupplier isConnected) {}

    /**
     * The ports of the engine.
     *
     * @param duties wraps the duties of the master; in production they are the engine itself
     */
    public record Firing(
            EnginePorts ports, EngineBounds bounds, HandlerRunner handlers, UnaryOperator<MasterDuties> duties) {}

    public SteppedNode(Self self, Database database, ZooKeeper zooKeeper, Firing firing, TakeoverPorts takeover) {
        EngineClocks clocks = self.clocks();
        healthProbe = new DatabaseHealthProbe(
                database.askMicros(),
                clocks.database(),
                clocks.monotonic(),
                clocks.uptime(),
                DatabaseLoops.probeListener(signals));
        roles = new RoleRecord(
                self.node(), self.incarnation(), database.history(), clocks.database(), this::roleChanged);
        EngineSignals engineListener = new EngineSignals(roles, signals);
        engine = self.steps()
                .engine(
                        firing.ports(),
                        firing.bounds(),
                        clocks,
                        firing.handlers(),
                        new NodeMetrics(metrics),
                        engineListener);
        role = RoleParts.of(
                new FastTakeover.LocalNode(self.node(), self.incarnation(), () -> "http://" + self.node()),
                roles,
                engine,
                firing.duties().apply(engine),
                self.drain(),
                List.of(),
                database.register(),
                healthProbe,
                database.nodeLock(),
                () -> {},
                () -> {},
                zooKeeper.latch(),
                zooKeeper.peers(),
                zooKeeper.isConnected(),
                takeover,
                verdict -> {},
                failure -> {},
                clocks.monotonic(),
                signals,
                new CompletableFuture<>());
        takeoverLoop = self.steps().loop("takeover", role.takeover()::step);
        probeLoop = self.steps().loop("pulse", healthProbe::step);
        membership = new PairMembership(
                () -> join(database, zooKeeper),
                () -> zooKeeper.peers().announce(entry(self)),
                role,
                zooKeeper.peers(),
                () -> entry(self),
                Optional::empty,
                signals);
        new NodeEventTable(engine, role, engineListener, membership, new EpochSignal())
                .connect(signals, takeoverLoop::wake, () -> {}, () -> {}, () -> {}, () -> {});
    }

    private void roleChanged(Role from, Role to, String reason, long epoch) {
        signals.raise(NodeEvent.ROLE_CHANGED);
        roleListeners.forEach(listener -> listener.roleChanged(from, to, reason, epoch));
    }

    /** What {@link JoinTask} waits for. */
    private Duration join(Database database, ZooKeeper zooKeeper) {
        boolean isReady = healthProbe.isReached()
                && database.nodeLock().acquire()
                && zooKeeper.isConnected().getAsBoolean();
        return isReady ? null : JOIN_AGAIN;
    }

    private Peer entry(Self self) {
        return new Peer(
                self.node(),
                self.incarnation().toString(),
                roles.role().name(),
                "http://" + self.node(),
                "",
                "",
                "",
                role.leadership().peerReach().word());
    }

    /** Whether the node reaches the database, according to its health probe. */
    public boolean reachesDatabase() {
        return healthProbe.isReached();
    }

    /** Told by the ZooKeeper of this node, as {@code CuratorPeers} does. */
    public void peersChanged() {
        signals.raise(NodeEvent.PEERS_CHANGED);
    }

    /** The listeners for changes of role. */
    public void tells(RoleListener listener) {
        roleListeners.add(listener);
    }

    /** The order of {@link SchedulerNode#start}. */
    public void start() {
        probeLoop.start();
        takeoverLoop.start();
        engine.start(role.systemWork(membership));
        engine.systemTasks().soon(SystemTasks.INIT);
    }

    public void wakeTakeover() {
        takeoverLoop.wake();
    }

    /** The receiver of the notifications of the database. */
    public ChangeListener.Changes changes() {
        return DatabaseLoops.changes(engine, signals);
    }

    /** Told by the ZooKeeper of this node, as {@code ZooKeeperLink} does. */
    public void zooKeeperChanged() {
        signals.raise(NodeEvent.ZOOKEEPER_CHANGED);
    }

    /** The latch has changed. */
    public void roleMayChange() {
        signals.raise(NodeEvent.LATCH_CHANGED);
    }

    public Role role() {
        return roles.role();
    }

    public void resign(String reason) {
        role.leadership().resign(reason);
        role.tasks().soon();
    }

    public void retire() {
        role.leadership().retire();
        role.tasks().soon();
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
