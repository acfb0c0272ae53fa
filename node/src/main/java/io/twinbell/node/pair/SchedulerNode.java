package io.twinbell.node.pair;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.ha.role.Leadership;
import io.twinbell.ha.role.PeerReach;
import io.twinbell.ha.role.Role;
import io.twinbell.ha.role.RoleRecord;
import io.twinbell.ha.takeover.FastTakeover;
import io.twinbell.ha.takeover.TakeoverPorts;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.api.HttpApi;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.engine.Engine;
import io.twinbell.node.engine.run.EngineMetrics;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.step.StepThread;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.handler.Handlers;
import io.twinbell.node.handler.trace.TracedRunner;
import io.twinbell.node.loop.Loops;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.warmup.WarmUpRun;
import io.twinbell.ops.jmx.ManagementBeans;
import io.twinbell.ops.metrics.PrometheusText;
import io.twinbell.persistence.cluster.JdbcNodeLock;
import io.twinbell.persistence.cluster.NodeLock;
import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.database.DatabaseHealthProbe;
import io.twinbell.persistence.database.MeasuredClock;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.InstructionRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.epoch.JdbcRoleHistory;
import io.twinbell.persistence.ledger.query.JdbcExecutionQueries;
import io.twinbell.persistence.ledger.query.JdbcExecutionRequests;
import io.twinbell.persistence.ledger.query.JdbcVerificationSource;
import io.twinbell.persistence.limit.JdbcLimitStore;
import io.twinbell.persistence.takeover.JdbcMasterLock;
import io.twinbell.persistence.takeover.JdbcOwnerRecords;
import io.twinbell.persistence.task.JdbcTaskStore;
import io.twinbell.persistence.task.TaskStore;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import javax.management.MBeanServer;

/**
 * One node of the pair. The constructor assembles its parts, {@link #start} starts them in order, and {@link #close}
 * stops them in reverse order.
 */
public final class SchedulerNode implements AutoCloseable {
    private static final Duration HAND_OVER_BOUND = Duration.ofSeconds(5);

    private final NodeConfig config;
    private final MBeanServer beanServer;
    private final NodeEvents nodeEvents;
    private final InstantSource wall;
    private final MetricRegistry registry = new MetricRegistry();
    private final NodeDatabase database;
    private final MeasuredClock clock;
    private final DatabaseHealthProbe healthProbe;
    private final StepThread pulseThread;
    private final StepThread listenerThread;
    private final Handlers handlers;
    private final EngineMetrics metrics;
    private final Engine engine;
    private final WarmUpRun warmUp;
    private final StepThread warmUpThread;
    private final ZooKeeperParts zooKeeper;
    private final RoleRecord roles;
    private final Leadership leadership;
    private final StepThread takeoverThread;
    private final RoleTasks roleTasks;
    private final PairRegisters registers;
    private final NodeState state;
    private final TaskStore tasks;
    private final JmxAlertListener alertListener = new JmxAlertListener();
    private final BackgroundThreads background;
    private final HttpApi api;
    private final NodeListeners listeners;
    private final JoinTask joinTask;
    private final AtomicBoolean closing = new AtomicBoolean();
    private ManagementBeans beans;

    /**
     * @param registered handlers of type {@code java}, by key
     * @param beanServer the server for the MBeans; two nodes in one JVM need one each
     */
    public SchedulerNode(NodeConfig config, Map<String, TaskHandler> registered, MBeanServer beanServer) {
        this.config = config;
        this.beanServer = beanServer;
        listeners = new NodeListeners(config.listeners(), beanServer);
        Ticker ticker = Ticker.SYSTEM;
        wall = InstantSource.system();
        UUID incarnation = UUID.randomUUID();
        String id = config.nodeId();

        nodeEvents = new NodeEvents(id);
        database = NodeDatabase.of(config, incarnation);
        clock = new MeasuredClock(ticker, wall);
        healthProbe = new DatabaseHealthProbe(database.healthProbe(), clock, ticker, Ticker.UPTIME, nodeEvents);
        metrics = new EngineMetrics(registry);
        Loops loops = metrics.loops();
        pulseThread = DatabaseLoops.healthProbe(healthProbe, loops);
        listenerThread = DatabaseLoops.listener(database.listener(), nodeEvents, loops);

        handlers = new Handlers(config.handlers(), registered, clock, database.completing(clock), config.passwords());
        EngineClocks clocks = new EngineClocks(clock, ticker, Ticker.UPTIME, wall);
        engine = new Engine(
                EnginePorts.on(database), bounds(), clocks, TracedRunner.around(handlers, null), metrics, nodeEvents);
        warmUp = new WarmUpRun(clocks, handlers, this::url, () -> role() == Role.MASTER, database::isAsked);
        warmUpThread = new StepThread(loops.loop("rehearsal"), warmUp::step);

        zooKeeper = ZooKeeperParts.of(config, database, nodeEvents, ticker);
        EpochRegister register = new JdbcEpochRegister(database.settings(), database.epoch());
        roles = new RoleRecord(id, incarnation, new JdbcRoleHistory(database.epoch()), clock, nodeEvents::roleChanged);
        leadership = new Leadership(
                id,
                incarnation,
                zooKeeper.latch(),
                register,
                engine,
                roles,
                new Leadership.LeadershipContext(
                        ticker,
                        new PeerReach(
                                incarnation,
                                zooKeeper.peers(),
                                healthProbe::isReached,
                                zooKeeper.link()::isConnected,
                                ticker),
                        config.workers().drain()));
        tasks = new JdbcTaskStore(database.pool());
        background = new BackgroundThreads(
                database, config.retention(), tasks, clock, ticker, leadership::epoch, alertWays());
        NodeLock nodeLock = new JdbcNodeLock(database.nodeLock(), id);
        roleTasks = new RoleTasks(leadership, roles, engine, register, healthProbe, ticker, nodeEvents);
        joinTask = new JoinTask(
                config.cluster(),
                id,
                new JoinTask.Servers(
                        database.pool(), database.settings().forMigrations(), healthProbe, zooKeeper.link()),
                JoinTask.Register.on(database.epoch()),
                nodeLock,
                ticker,
                zooKeeper.election(id, incarnation, this::url));
        FastTakeover takeover = new FastTakeover(
                new FastTakeover.LocalNode(id, incarnation, this::url),
                leadership,
                roles,
                new TakeoverPorts(
                        new JdbcMasterLock(database.masterLock()),
                        new JdbcOwnerRecords(database.takeover()),
                        zooKeeper.sessions(),
                        new OwnerProbe(ticker),
                        new TcpHostWatch(ticker)),
                ticker,
                Gauges.verdicts(registry),
                loops.loop("takeover")::failed);
        takeoverThread = new StepThread(loops.loop("takeover"), takeover::step);
        registers = PairRegisters.on(database, clock, ticker);
        state = new NodeState(
                NodeState.NodeIdentity.of(config, incarnation, this::url, joinTask::schema),
                roles,
                leadership,
                roleTasks,
                healthProbe,
                zooKeeper.link(),
                zooKeeper.peers(),
                takeover,
                new HoldWatch(new InstructionRegister(database.epoch())::hold, clock),
                clock);
        Gauges.register(registry, state, engine, background.stuck());
        registry.gauge("slots_in_doubt", () -> background.doubts()::slots);
        registry.gauge("snapshot_held_seconds", () -> background.snapshots()::seconds);
        api = new HttpApi(listeners.httpAddress(), stores(), background.changes(), status(), Ticker.SYSTEM);
        nodeEvents.connect(new NodeEvents.Parts(
                engine,
                leadership,
                roleTasks,
                joinTask::attempt,
                new NodeEvents.Neighbours(
                        this::begin,
                        () -> zooKeeper.peers().announce(state.entry()),
                        List.of(register::warmUp, this::warmUpHandlers),
                        this::refreshFromDatabase),
                new NodeEvents.Database(nodeLock, this::keepUpWithDatabase, database::breakOffSystemWork),
                takeoverThread::wake));
    }

    private void keepUpWithDatabase() {
        joinTask.keepToSchema();
        database.journal().findReplicas(database.epoch());
    }

    private void refreshFromDatabase() {
        state.hold().refresh();
        zooKeeper.refreshMembers();
    }

    private Engine.Bounds bounds() {
        return new Engine.Bounds(
                config.workers().size(),
                config.workers().maxInFlight(),
                config.retention().executions());
    }

    private ApiStores stores() {
        return new ApiStores(
                tasks,
                new JdbcExecutionQueries(database.pool()),
                new JdbcExecutionRequests(database.pool()),
                new JdbcVerificationSource(database.pool()),
                background.stuck(),
                background.calendars(),
                new JdbcLimitStore(database.pool()),
                background.alerts(),
                clock,
                new HandlerKnowledge(handlers, registers.handlers()));
    }

    private BackgroundThreads.AlertWays alertWays() {
        return new BackgroundThreads.AlertWays(
                handlers::call, alertListener, () -> state.standbyLack(), registry, metrics.loops());
    }

    private PairClusterView status() {
        RoleMoves moves = new RoleMoves(
                config.nodeId(), registers, zooKeeper.sessions(), nodeEvents.epochSignal(), nodeEvents::roleMayChange);
        return new PairClusterView(
                state,
                engine,
                zooKeeper.latch(),
                registers,
                moves,
                new PrometheusText(registry),
                background.doubts()::slots);
    }

    /**
     * Starts the node. The API answers when this returns; joining the pair continues in the background for as long as
     * the servers take.
     *
     * @throws RuntimeException if a port is taken; no part is left running then
     */
    public void start() {
        try {
            beans = new ManagementBeans(beanServer, MBeanViews.of(state, engine, metrics, registers), registry, wall);
            nodeEvents.show((from, to, reason, epoch) -> beans.roleChanged(from.name(), to.name(), reason, epoch));
            alertListener.show(beans);
            listeners.start(api);
            zooKeeper.link().start();
            pulseThread.start();
            listenerThread.start();
            takeoverThread.start();
            engine.start(new SystemTasks.Work(
                    nodeEvents::init, roleTasks::heartbeat, roleTasks::changeMasterCheck, roleTasks::settle));
            engine.systemTasks().soon(SystemTasks.INIT);
        } catch (RuntimeException e) {
            stopParts();
            throw e;
        }
    }

    /** Calls this node's own API, if there is one. */
    private void warmUpHandlers() {
        if (listeners.isHttpEnabled()) {
            handlers.warmUp(URI.create(url()));
        }
    }

    /**
     * Called once this node may join the pair: makes it visible and starts the background work, which includes the
     * warm-up.
     */
    private void begin() {
        registers.handlers().publish(config.nodeId(), handlers.javaKeys());
        zooKeeper.peers().start();
        // Not earlier: the tables that it reads exist only after the schema has been migrated.
        background.start();
        warmUpThread.start();
    }

    /**
     * Completes when the node has ended; completes exceptionally if an operator must decide something before it may
     * run.
     */
    public CompletableFuture<Void> ended() {
        return nodeEvents.ended();
    }

    /** The address of the API, {@code http://host:port}; empty if {@code http.enabled} is false. */
    public String url() {
        return listeners.url();
    }

    /**
     * Waits until this node has joined the pair or has ended, at most for {@code bound}; returns whether it has joined.
     */
    public boolean awaitJoined(Duration bound) {
        await(
                () -> roles.role() != Role.STOPPED
                        || ended().isDone()
                        || Thread.currentThread().isInterrupted(),
                bound);
        return roles.role() != Role.STOPPED;
    }

    /** Why this node has not joined the pair; empty once it has joined. */
    public Optional<String> joinObstacle() {
        return nodeEvents.refusal().or(joinTask::obstacle);
    }

    /** Sets what runs after the warm-up run, unless this node is master by then. Call it before {@link #start}. */
    public void afterWarmUp(Runnable tidyUp) {
        warmUp.afterRun(tidyUp);
    }

    public TaskStore tasks() {
        return tasks;
    }

    /** The current calendars. */
    public Calendars calendars() {
        return background.calendars().fresh();
    }

    public DatabaseClock clock() {
        return clock;
    }

    /** The current role of this node. */
    public Role role() {
        return roles.role();
    }

    /** Ends a drain at once, for an operator who does not want to wait. */
    public void endDrainNow() {
        leadership.endDrainNow();
        roleTasks.soon();
    }

    /**
     * Hands over if this node is master, lets handlers finish within the drain time, and stops. A node that is still
     * joining does not become master any more.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        Epoch last = leadership.epoch();
        leadership.retire();
        if (roles.role() != Role.STOPPED) {
            roleTasks.soon();
            await(() -> roles.role() == Role.STOPPED, config.workers().drain().plus(HAND_OVER_BOUND));
        }
        SuccessorWait.of(zooKeeper.latch(), registers, nodeEvents.epochSignal()).awaitSuccessor(last);
        stopParts();
        nodeEvents.ended().complete(null);
    }

    private void await(BooleanSupplier condition, Duration bound) {
        long began = Ticker.SYSTEM.nanos();
        while (!condition.getAsBoolean() && Ticker.SYSTEM.nanos() - began < bound.toNanos()) {
            nodeEvents.epochSignal().await(Duration.ofMillis(50));
        }
    }

    private void stopParts() {
        api.stop();
        background.close();
        warmUpThread.close();
        warmUp.close();
        engine.close();
        takeoverThread.close();
        listenerThread.close();
        pulseThread.close();
        zooKeeper.close();
        handlers.close();
        listeners.closeJmx();
        if (beans != null) {
            beans.close();
        }
        database.close();
    }
}
