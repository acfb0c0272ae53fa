package io.twinbell.node.pair;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.ha.role.Role;
import io.twinbell.ha.role.RoleRecord;
import io.twinbell.ha.takeover.FastTakeover;
import io.twinbell.ha.takeover.TakeoverPorts;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.api.cluster.ClusterView.Readiness;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.port.ApiServer;
import io.twinbell.node.api.slot.StoredTaskSlots;
import io.twinbell.node.api.slot.TaskSlots;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.defaults.DefaultsEdits;
import io.twinbell.node.engine.Engine;
import io.twinbell.node.engine.EngineBounds;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.step.StepThread;
import io.twinbell.node.engine.step.Stepper;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.handler.Handlers;
import io.twinbell.node.handler.intercept.InterceptedRunner;
import io.twinbell.node.handler.trace.TracedRunner;
import io.twinbell.node.jmx.LeadershipNotifications;
import io.twinbell.node.limit.store.StandingPauses;
import io.twinbell.node.loop.Loops;
import io.twinbell.node.loop.Signals;
import io.twinbell.node.metrics.MetricSample;
import io.twinbell.node.metrics.NodeMetrics;
import io.twinbell.node.metrics.PrometheusText;
import io.twinbell.node.pair.database.DatabaseHealthProbe;
import io.twinbell.node.pair.database.NodeDatabase;
import io.twinbell.node.pair.database.PairRegisters;
import io.twinbell.node.pair.role.EpochSignal;
import io.twinbell.node.pair.role.OwnerProbe;
import io.twinbell.node.pair.role.RoleMoves;
import io.twinbell.node.pair.role.SuccessorWait;
import io.twinbell.node.pair.role.TcpHostWatch;
import io.twinbell.node.pair.view.Gauges;
import io.twinbell.node.pair.view.MBeanViews;
import io.twinbell.node.pair.view.NodeState;
import io.twinbell.node.pair.view.PairClusterView;
import io.twinbell.node.pair.view.PeerQuery;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.warmup.WarmUpRun;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.clock.MeasuredClock;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.cluster.JdbcNodeLock;
import io.twinbell.persistence.cluster.NodeLock;
import io.twinbell.persistence.database.SchemaName;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.InstructionRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.epoch.JdbcRoleHistory;
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
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import javax.management.MBeanServer;

/**
 * One node of the pair. The constructor assembles its parts, {@link #start} starts them in order, and {@link #close}
 * stops them in reverse order.
 */
public final class SchedulerNode implements LibraryNode {
    private static final Duration HAND_OVER_BOUND = Duration.ofSeconds(5);

    private final NodeConfig config;
    private final UUID incarnation = UUID.randomUUID();
    private final Ticker ticker = Ticker.SYSTEM;
    private final InstantSource wall = InstantSource.system();
    private final MetricRegistry registry = new MetricRegistry();
    private final NodeMetrics metrics = new NodeMetrics(registry);
    private final Loops loops = metrics.loops();
    private final Signals<NodeEvent> signals = new Signals<>(NodeEvent.class);
    private final EpochSignal epochSignal = new EpochSignal();
    private final LeadershipNotifications notifications = new LeadershipNotifications(wall);
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final NodeListeners listeners;
    private final NodeDatabase database;
    private final MeasuredClock clock;
    private final EngineClocks clocks;
    private final DatabaseHealthProbe healthProbe;
    private final StepThread probeThread;
    private final RoleRecord roles;
    private final Handlers handlers;
    private final Engine engine;
    private final Stepper listenerThread;
    private final WarmUpRun warmUp;
    private final StepThread warmUpThread;
    private final ZooKeeperParts zooKeeper;
    private final JoinTask joinTask;
    private final StepThread openerThread;
    private final NodeState.HoldWatch hold;
    private final RoleParts role;
    private final StepThread takeoverThread;
    private final PairRegisters registers;
    private final PublishedHandlers publishedHandlers;
    private final NodeState state;
    private final TaskStore tasks;
    private final BackgroundThreads background;
    private final NodeAccess access;
    private final PrometheusText metricsText;
    private final PairClusterView view;
    private final TaskSlots slots;
    private final ApiServer api;
    private final PairMembership membership;
    private boolean isClosed;

    /**
     * @param registered handlers of type {@code java}, by key
     * @param beanServer the server for the MBeans; two nodes in one JVM need one each
     */
    public SchedulerNode(NodeConfig config, Map<String, TaskHandler> registered, MBeanServer beanServer) {
        this(config, RegisteredCode.of(registered), () -> beanServer);
    }

    /** @param beanServer supplies the server for the MBeans */
    public SchedulerNode(NodeConfig config, RegisteredCode registered, Supplier<MBeanServer> beanServer) {
        this.config = config;
        boolean hasApi = config.listeners().http().isEnabled();
        ApiServer.Provider apiProvider = hasApi ? ApiServer.provider() : null;
        listeners = new NodeListeners(config.listeners(), beanServer);
        database = NodeDatabase.of(config, incarnation);
        clock = new MeasuredClock(ticker, wall);
        clocks = new EngineClocks(clock, ticker, Ticker.UPTIME, wall);
        healthProbe = new DatabaseHealthProbe(
                database.healthProbe(), clock, ticker, Ticker.UPTIME, DatabaseLoops.probeListener(signals));
        probeThread = DatabaseLoops.healthProbe(healthProbe, loops);
        roles = new RoleRecord(
                config.nodeId(), incarnation, new JdbcRoleHistory(database.epoch()), clock, this::roleChanged);
        handlers = new Handlers(
                config.handlers(), registered.handlers(), clock, database.completing(clock), config.passwords());
        EngineSignals engineListener = new EngineSignals(roles, signals);
        engine = new Engine(
                JdbcPorts.engine(database),
                bounds(),
                clocks,
                TracedRunner.around(
                        InterceptedRunner.around(
                                handlers, registered.interceptorsBefore(handlers.pluginInterceptors())),
                        registered.telemetry()),
                metrics,
                engineListener);
        listenerThread = DatabaseLoops.listener(database.listener(), DatabaseLoops.changes(engine, signals), loops);
        warmUp = new WarmUpRun(clocks, handlers, listeners::warmUpUrl, () -> role() == Role.MASTER, database::isAsked);
        warmUpThread = new StepThread(loops.loop("warm-up"), warmUp::step);
        zooKeeper = ZooKeeperParts.of(config, database, signals, ticker);
        NodeLock nodeLock = new JdbcNodeLock(database.nodeLock(), config.nodeId());
        joinTask = joinTask(nodeLock);
        openerThread = DatabaseLoops.opener(database, () -> joinTask.schema() != null, loops);
        hold = new NodeState.HoldWatch(new InstructionRegister(database.epoch())::hold, clock);
        role = roleParts(nodeLock);
        takeoverThread = new StepThread(loops.loop("takeover"), role.takeover()::step);
        registers = PairRegisters.on(database, clock, ticker);
        publishedHandlers = new PublishedHandlers(config.nodeId(), handlers, registers.handlers());
        state = state(registered.app());
        tasks = new JdbcTaskStore(database.pool());
        background = new BackgroundThreads(
                database,
                config,
                tasks,
                metrics::totals,
                clocks,
                role.leadership()::epoch,
                signals,
                handlers::call,
                notifications,
                () -> state.standbyLack(),
                registry,
                loops);
        access = new NodeAccess(config, database.pool(), zooKeeper.members(), clock, ticker, loops);
        registerGauges();
        metricsText = new PrometheusText(registry, metrics.apps());
        view = view();
        ApiStores stores = stores();
        slots = new StoredTaskSlots(stores, view);
        api = hasApi
                ? apiProvider.create(listeners.httpAddress(), access.api(), stores, background.changes(), view, ticker)
                : ApiServer.NONE;
        membership = new PairMembership(
                joinTask::attempt,
                this::begin,
                role,
                zooKeeper.peers(),
                state::entry,
                state::otherApplication,
                signals);
        new NodeEventTable(engine, role, engineListener, membership, epochSignal)
                .connect(
                        signals,
                        takeoverThread::wake,
                        database::breakOffSystemWork,
                        background::wakeChangeStream,
                        background::wakeAlerts,
                        background::firstFired);
    }

    private void roleChanged(Role from, Role to, String reason, long epoch) {
        signals.raise(NodeEvent.ROLE_CHANGED);
        notifications.roleChanged(from.name(), to.name(), reason, epoch);
    }

    private JoinTask joinTask(NodeLock nodeLock) {
        return new JoinTask(
                config.cluster(),
                config.nodeId(),
                incarnation,
                database,
                healthProbe,
                nodeLock,
                zooKeeper,
                () -> openerThread.wake(),
                listeners::isStarted,
                this::url,
                ticker);
    }

    private RoleParts roleParts(NodeLock nodeLock) {
        EpochRegister register = new JdbcEpochRegister(database.settings(), database.epoch());
        return RoleParts.of(
                new FastTakeover.LocalNode(config.nodeId(), incarnation, this::url),
                roles,
                engine,
                engine,
                config.workers().drain(),
                List.of(register::warmUp, this::warmUpHandlers),
                register,
                healthProbe,
                nodeLock,
                this::checkSchemaAndFindReplicas,
                this::refreshFromDatabase,
                zooKeeper.latch(),
                zooKeeper.peers(),
                zooKeeper.link()::isConnected,
                new TakeoverPorts(
                        new JdbcMasterLock(database.masterLock()),
                        new JdbcOwnerRecords(database.takeover()),
                        zooKeeper.sessions(),
                        new OwnerProbe(listeners.tls(), ticker),
                        new TcpHostWatch(ticker)),
                Gauges.verdicts(registry),
                loops.loop("takeover")::failed,
                ticker,
                signals,
                ended);
    }

    private NodeState state(String app) {
        return new NodeState(
                NodeState.NodeIdentity.of(config, incarnation, app, this::url, joinTask::schema),
                roles,
                role.leadership(),
                role.tasks(),
                healthProbe,
                zooKeeper.link(),
                zooKeeper.peers(),
                role.takeover(),
                hold,
                clock);
    }

    private void registerGauges() {
        Gauges.register(registry, state, engine, background.stuck(), handlers);
        registry.gauge("http_certificate_expiry_seconds", () -> () -> listeners.certificateSeconds(wall.millis()));
        access.registerGauges(registry);
    }

    private void checkSchemaAndFindReplicas() {
        joinTask.checkSchema();
        database.journal().findReplicas(database.epoch());
    }

    private void refreshFromDatabase() {
        hold.refresh();
        zooKeeper.refreshMembers();
        membership.warnOfOtherApplication();
    }

    private EngineBounds bounds() {
        return new EngineBounds(
                config.workers().size(),
                config.workers().maxInFlight(),
                config.retention().executions(),
                config.quota().firesPerMinute());
    }

    private ApiStores stores() {
        return JdbcPorts.stores(
                database, tasks, registers, background, config.retention().succeeded(), clock, publishedHandlers);
    }

    private PairClusterView view() {
        RoleMoves moves = new RoleMoves(
                config.nodeId(),
                registers,
                zooKeeper.sessions(),
                epochSignal,
                () -> signals.raise(NodeEvent.MOVE_REQUESTED));
        return new PairClusterView(
                state,
                engine,
                zooKeeper.latch(),
                registers,
                moves,
                new PeerQuery(listeners.tls(), zooKeeper.signature(clock)::header),
                metricsText,
                background::slotsInDoubt,
                background::warnings,
                config.settings());
    }

    /**
     * Starts the node. The API answers when this returns; joining the pair continues in the background for as long as
     * the servers take. It begins before the listeners start, because both take some tenths of a second of a young
     * process, but the node takes part in the election only when they have started.
     *
     * @throws RuntimeException if a port is taken; no part is left running then
     */
    public void start() {
        try {
            zooKeeper.link().start();
            probeThread.start();
            listenerThread.start();
            takeoverThread.start();
            openerThread.start();
            engine.start(role.systemWork(membership));
            engine.systemTasks().soon(SystemTasks.INIT);
            listeners.register(MBeanViews.of(state, engine, metrics, registers), notifications, registry);
            listeners.start(api, access.api().refusals());
            engine.systemTasks().soon(SystemTasks.INIT);
        } catch (RuntimeException e) {
            stopParts();
            throw e;
        }
    }

    /**
     * Starts the node, and the only thread of it that is no daemon: a program that has nothing else to do lives until its
     * node has ended. A node that was refused is closed by that thread, because its open ports would keep the process, too.
     *
     * @throws RuntimeException if a port is taken; no part is left running then
     */
    public SchedulerNode startAndKeepAlive() {
        start();
        Thread keeper = new Thread(
                () -> {
                    ended.handle((nothing, refusal) -> null).join();
                    close();
                },
                "node-" + config.nodeId());
        keeper.setDaemon(false);
        keeper.start();
        return this;
    }

    /** Calls this node's own API, if there is one. */
    private void warmUpHandlers() {
        if (listeners.isHttpEnabled()) {
            handlers.warmUp(URI.create(listeners.warmUpUrl()));
        }
    }

    /**
     * Called once this node may join the pair: makes it visible. The background work, which includes the warm-up, starts
     * soon.
     */
    private void begin() {
        publishedHandlers.startPluginsAndPublish(new StoredPluginTasks(tasks, clock, this::calendars));
        zooKeeper.peers().start();
        // Not earlier: the tables that it reads exist only after the schema has been migrated.
        access.start();
        background.startSoon(warmUpThread);
    }

    /**
     * Completes when the node has ended; completes exceptionally if an operator must decide something before it may
     * run.
     */
    public CompletableFuture<Void> ended() {
        return ended;
    }

    @Override
    public String url() {
        return listeners.url();
    }

    @Override
    public boolean awaitJoined(Duration bound) {
        await(
                () -> roles.role() != Role.STOPPED
                        || ended().isDone()
                        || Thread.currentThread().isInterrupted(),
                bound);
        return roles.role() != Role.STOPPED;
    }

    @Override
    public Optional<String> joinObstacle() {
        Optional<String> obstacle = role.refusal().reason().or(joinTask::obstacle);
        return obstacle.isEmpty() && ended.isDone() ? Optional.of("the node is closed") : obstacle;
    }

    @Override
    public TaskStore tasks() {
        return tasks;
    }

    @Override
    public String cluster() {
        return config.cluster();
    }

    @Override
    public PublishedHandlers handlers() {
        return publishedHandlers;
    }

    /** This node and the pair, as they show themselves. */
    public PairClusterView status() {
        return view;
    }

    @Override
    public Calendars calendars() {
        return background.calendars().fresh();
    }

    @Override
    public TaskSlots slots() {
        return slots;
    }

    @Override
    public DefaultsEdits defaults() {
        return background.defaults();
    }

    @Override
    public DatabaseClock clock() {
        return clock;
    }

    @Override
    public SchemaName schema() {
        return config.database().schema();
    }

    @Override
    public Role role() {
        return roles.role();
    }

    @Override
    public boolean hasEnded() {
        return ended.isDone();
    }

    @Override
    public String nodeId() {
        return config.nodeId();
    }

    @Override
    public long epoch() {
        return state.epoch();
    }

    @Override
    public Readiness readiness() {
        return view.ready();
    }

    @Override
    public List<MetricSample> metrics() {
        return metricsText.samples();
    }

    @Override
    public StandingPauses standingPauses() {
        return registers.standingPauses();
    }

    /** Ends a drain at once, for an operator who does not want to wait. */
    public void endDrainNow() {
        role.leadership().endDrainNow();
        role.tasks().soon();
    }

    /**
     * Hands over if this node is master, lets handlers finish within the drain time, and stops. A node that is still
     * joining does not become master any more. If another thread closes the node, this waits until it has done so: a
     * process must not end during a hand-over.
     */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        try {
            handOverAndStop();
        } finally {
            ended.complete(null);
        }
    }

    private void handOverAndStop() {
        Epoch last = role.leadership().epoch();
        role.leadership().retire();
        if (roles.role() != Role.STOPPED) {
            role.tasks().soon();
            await(() -> roles.role() == Role.STOPPED, config.workers().drain().plus(HAND_OVER_BOUND));
        }
        SuccessorWait.of(zooKeeper.latch(), registers, epochSignal).awaitSuccessor(last);
        stopParts();
    }

    private void await(BooleanSupplier condition, Duration bound) {
        long began = ticker.nanos();
        while (!condition.getAsBoolean() && ticker.nanos() - began < bound.toNanos()) {
            epochSignal.await(Duration.ofMillis(50));
        }
    }

    private void stopParts() {
        api.stop();
        access.close();
        background.close();
        warmUpThread.close();
        warmUp.close();
        engine.close();
        takeoverThread.close();
        openerThread.close();
        listenerThread.close();
        probeThread.close();
        zooKeeper.close();
        handlers.close();
        listeners.closeJmx();
        database.close();
    }
}
