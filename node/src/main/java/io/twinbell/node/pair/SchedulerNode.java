package io.twinbell.node.pair;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.ha.latch.CuratorLatch;
import io.twinbell.ha.latch.CuratorPeers;
import io.twinbell.ha.latch.ZooKeeperLink;
import io.twinbell.ha.latch.ZooKeeperSessions;
import io.twinbell.ha.role.Leadership;
import io.twinbell.ha.role.PeerReach;
import io.twinbell.ha.role.Role;
import io.twinbell.ha.role.RoleRecord;
import io.twinbell.ha.takeover.Ports;
import io.twinbell.ha.takeover.Takeover;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.api.HttpApi;
import io.twinbell.node.calendar.CalendarEdits;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.engine.Engine;
import io.twinbell.node.engine.EngineMetrics;
import io.twinbell.node.engine.Housekeeper;
import io.twinbell.node.engine.StepThread;
import io.twinbell.node.engine.SystemTasks;
import io.twinbell.node.handler.Handlers;
import io.twinbell.ops.jmx.JmxServer;
import io.twinbell.ops.jmx.ManagementBeans;
import io.twinbell.ops.metrics.PrometheusText;
import io.twinbell.persistence.calendar.DedicatedCalendarSource;
import io.twinbell.persistence.calendar.JdbcCalendarStore;
import io.twinbell.persistence.cluster.ClusterRegister;
import io.twinbell.persistence.cluster.FiringPauses;
import io.twinbell.persistence.cluster.NodeLock;
import io.twinbell.persistence.database.ChangeListener;
import io.twinbell.persistence.database.DatabasePulse;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.MeasuredClock;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.epoch.JdbcRoleHistory;
import io.twinbell.persistence.ledger.JdbcDueTasks;
import io.twinbell.persistence.ledger.JdbcExecutionQueries;
import io.twinbell.persistence.ledger.JdbcLedger;
import io.twinbell.persistence.ledger.JdbcRecorder;
import io.twinbell.persistence.ledger.JdbcRecovery;
import io.twinbell.persistence.ledger.JdbcUpkeep;
import io.twinbell.persistence.ledger.Outcome;
import io.twinbell.persistence.takeover.JdbcMasterLock;
import io.twinbell.persistence.takeover.JdbcOwnerRecords;
import io.twinbell.persistence.task.JdbcArrivals;
import io.twinbell.persistence.task.JdbcLaggingTasks;
import io.twinbell.persistence.task.JdbcTaskStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.MBeanServer;

/**
 * One node of the pair, put together: the constructor is the list of its parts, {@link #start} the order in which they
 * begin, {@link #close} the reverse.
 */
public final class SchedulerNode implements AutoCloseable {
    private static final Duration HAND_OVER_BOUND = Duration.ofSeconds(5);

    private final NodeConfig config;
    private final MBeanServer beanServer;
    private final Membership membership;
    private final InstantSource wall;
    private final MetricRegistry registry = new MetricRegistry();
    private final NodeDatabase database;
    private final MeasuredClock clock;
    private final DatabasePulse pulse;
    private final StepThread pulseThread;
    private final StepThread listenerThread;
    private final StepThread housekeeperThread;
    private final Handlers handlers;
    private final EngineMetrics metrics;
    private final Engine engine;
    private final ZooKeeperLink zooKeeper;
    private final CuratorLatch latch;
    private final CuratorPeers peers;
    private final RoleRecord roles;
    private final Leadership leadership;
    private final ZooKeeperSessions latchSessions;
    private final StepThread takeoverThread;
    private final RoleTasks roleTasks;
    private final FiringPauses pauses;
    private final NodeState state;
    private final CalendarEdits calendars;
    private final StepThread calendarThread;
    private final HttpApi api;
    private final StepThread pauseEndsThread;
    private volatile int httpPort;
    private final AtomicBoolean closing = new AtomicBoolean();
    private JmxServer jmx;
    private ManagementBeans beans;

    /**
     * @param registered handlers of type {@code java}, by key
     * @param beanServer where the MBeans go; two nodes in one JVM need one each
     */
    public SchedulerNode(NodeConfig config, Map<String, TaskHandler> registered, MBeanServer beanServer) {
        this.config = config;
        this.beanServer = beanServer;
        Ticker ticker = Ticker.SYSTEM;
        wall = InstantSource.system();
        UUID incarnation = UUID.randomUUID();
        String id = config.nodeId();

        membership = new Membership(id);
        database = new NodeDatabase(new DatabaseSettings(
                config.database().url(),
                config.database().user(),
                config.database().password(),
                id,
                incarnation));
        clock = new MeasuredClock(ticker, wall);
        pulse = new DatabasePulse(database.pulse(), clock, ticker, membership);
        pulseThread = new StepThread("pulse", pulse::step);
        ChangeListener listener = new ChangeListener(database.listener(), membership);
        listenerThread = new StepThread("listener", listener::step);

        handlers = new Handlers(registered);
        metrics = new EngineMetrics(registry);
        engine = new Engine(ports(), bounds(), clock, ticker, wall, handlers, metrics);

        zooKeeper = new ZooKeeperLink(
                config.zooKeeper().connect(),
                config.cluster(),
                config.zooKeeper().sessionTimeout(),
                membership::roleMayChange);
        latch = new CuratorLatch(zooKeeper, id, membership::roleMayChange);
        peers = new CuratorPeers(zooKeeper, id);
        EpochRegister register = new JdbcEpochRegister(database.settings(), database.epoch());
        roles = new RoleRecord(id, incarnation, new JdbcRoleHistory(database.epoch()), clock, membership::roleChanged);
        leadership = new Leadership(
                id,
                incarnation,
                latch,
                register,
                engine,
                roles,
                new Leadership.Surroundings(
                        ticker,
                        new PeerReach(peers, pulse::isReached, zooKeeper::isConnected, ticker),
                        config.workers().drain()));
        Housekeeper housekeeper =
                new Housekeeper(new JdbcUpkeep(database.housekeeping()), kept(), clock, ticker, leadership::epoch);
        housekeeperThread = new StepThread("housekeeper", housekeeper::step);
        NodeLock nodeLock = new NodeLock(database.nodeLock(), id);
        roleTasks = new RoleTasks(leadership, roles, engine, register, pulse, ticker, membership);
        Joining joining = new Joining(
                config.cluster(),
                id,
                new Joining.Servers(database.pool(), pulse, zooKeeper),
                new ClusterRegister(database.epoch()),
                nodeLock,
                ticker);
        engine.onFenced(membership::fenced);
        engine.systemTasks().define(SystemTasks.INIT, membership::init);
        engine.systemTasks().define(SystemTasks.HEARTBEAT, roleTasks::heartbeat);
        engine.systemTasks().define(SystemTasks.CHANGE_MASTER_CHECK, roleTasks::changeMasterCheck);
        engine.systemTasks().define(SystemTasks.SETTLE, engine::settle);

        latchSessions = new ZooKeeperSessions(zooKeeper);
        Takeover takeover = new Takeover(
                new Takeover.Self(id, incarnation, this::url),
                leadership,
                roles,
                new Ports(
                        new JdbcMasterLock(database.masterLock()),
                        new JdbcOwnerRecords(database.takeover()),
                        latchSessions,
                        new OwnerProbe(ticker)),
                ticker,
                Gauges.verdicts(registry));
        takeoverThread = new StepThread("takeover", takeover::step);

        pauses = new FiringPauses(database.cluster());
        state = new NodeState(self(incarnation), roles, leadership, roleTasks, pulse, zooKeeper, peers, takeover);
        Gauges.register(registry, state, engine);
        calendars = new CalendarEdits(new JdbcCalendarStore(database.pool()), new JdbcLaggingTasks(database.pool()));
        calendarThread = new StepThread("calendars", calendars::step);
        HttpApi.Stores stores = stores();
        api = new HttpApi(httpAddress(), stores, status(ticker));
        PauseEnds pauseEnds = new PauseEnds(stores.tasks(), state::isMaster, clock, calendars::fresh);
        pauseEndsThread = new StepThread("pause-ends", pauseEnds::step);
        membership.connect(new Membership.Parts(
                engine,
                leadership,
                roleTasks,
                joining,
                new Membership.Shown(state, peers, peers::start, () -> handlers.warmUp(URI.create(url()))),
                nodeLock,
                takeoverThread::wake));
    }

    private Engine.Ports ports() {
        return new Engine.Ports(
                new JdbcEpochRegister(database.settings(), database.gate()),
                new JdbcLedger(database.claims()),
                new JdbcDueTasks(database.claims()),
                new JdbcRecorder(database.outcomes()),
                new JdbcRecovery(database.epoch()),
                new JdbcArrivals(database.epoch()),
                new FiringPauses(database.epoch())::latest,
                new DedicatedCalendarSource(database.claims()));
    }

    private Engine.Bounds bounds() {
        return new Engine.Bounds(
                config.workers().size(),
                config.workers().maxInFlight(),
                config.retention().executions());
    }

    private Housekeeper.Kept kept() {
        NodeConfig.Retention retention = config.retention();
        return new Housekeeper.Kept(
                retention.executions(),
                Map.of(
                        Outcome.SUCCEEDED, retention.succeeded(),
                        Outcome.FAILED, retention.failed(),
                        Outcome.SKIPPED, retention.skipped()),
                retention.finishedTasks());
    }

    private HttpApi.Address httpAddress() {
        NodeConfig.Endpoint http = config.listeners().http();
        return new HttpApi.Address(http.host(), http.port());
    }

    private HttpApi.Stores stores() {
        return new HttpApi.Stores(
                new JdbcTaskStore(database.pool()), new JdbcExecutionQueries(database.pool()), calendars, clock);
    }

    private PairStatus status(Ticker ticker) {
        EpochRegister epochs = new JdbcEpochRegister(database.settings(), database.cluster());
        PairStatus.Registers registers =
                new PairStatus.Registers(epochs, new JdbcRoleHistory(database.cluster()), pauses, clock);
        Switchover switchover = new Switchover(config.nodeId(), epochs, membership.epochSignal(), ticker);
        return new PairStatus(state, engine, latch, registers, switchover, new PrometheusText(registry));
    }

    private NodeState.Self self(UUID incarnation) {
        NodeConfig.Endpoint jmxEnd = config.listeners().jmx();
        return new NodeState.Self(
                config.nodeId(),
                incarnation.toString(),
                this::url,
                jmxEnd.host() + ":" + jmxEnd.port(),
                Version.CURRENT);
    }

    /**
     * Begins. The API answers when this returns; joining the pair goes on behind, for as long as the servers take.
     *
     * @throws RuntimeException if a port is taken; nothing is left running then
     */
    public void start() {
        try {
            beans = new ManagementBeans(beanServer, Beans.of(state, engine, metrics, clock, pauses), registry, wall);
            membership.show(beans);
            jmx = startJmx();
            httpPort = api.start();
            zooKeeper.start();
            pulseThread.start();
            listenerThread.start();
            calendarThread.start();
            takeoverThread.start();
            engine.start();
            pauseEndsThread.start();
            housekeeperThread.start();
            engine.systemTasks().soon(SystemTasks.INIT);
        } catch (RuntimeException e) {
            stopParts();
            throw e;
        }
    }

    private JmxServer startJmx() {
        NodeConfig.Endpoint end = config.listeners().jmx();
        try {
            return JmxServer.start(beanServer, end.host(), end.port());
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    /** Completes when the node has ended; exceptionally if a person has to decide something before it may run. */
    public CompletableFuture<Void> ended() {
        return membership.ended();
    }

    /** Where the API answers, {@code http://host:port}. */
    public String url() {
        return "http://" + config.listeners().http().host() + ":" + httpPort;
    }

    /** What this node is now. */
    public Role role() {
        return roles.role();
    }

    /** Ends a drain at once: the operator is in a hurry. */
    public void hurry() {
        leadership.hurry();
        roleTasks.soon();
    }

    /** Hands over if this node is master, lets running handlers finish within the drain time, and stops. */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        if (roles.role() != Role.STOPPED) {
            leadership.retire();
            roleTasks.soon();
            awaitStopped(config.workers().drain().plus(HAND_OVER_BOUND));
        }
        stopParts();
        membership.ended().complete(null);
    }

    private void awaitStopped(Duration bound) {
        long began = Ticker.SYSTEM.nanos();
        while (roles.role() != Role.STOPPED && Ticker.SYSTEM.nanos() - began < bound.toNanos()) {
            membership.epochSignal().await(Duration.ofMillis(50));
        }
    }

    private void stopParts() {
        api.stop();
        pauseEndsThread.close();
        housekeeperThread.close();
        engine.close();
        calendarThread.close();
        takeoverThread.close();
        listenerThread.close();
        pulseThread.close();
        latchSessions.close();
        latch.close();
        peers.close();
        zooKeeper.close();
        handlers.close();
        if (jmx != null) {
            jmx.close();
        }
        if (beans != null) {
            beans.close();
        }
        database.close();
    }
}
