package io.twinbell.node.pair;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.node.alert.AlertListener;
import io.twinbell.node.alert.Alerts;
import io.twinbell.node.alert.Deliveries;
import io.twinbell.node.alert.ExpectationMonitor;
import io.twinbell.node.alert.OngoingConditions;
import io.twinbell.node.alert.UnknownHandlerSurvey;
import io.twinbell.node.alert.store.AlertOutbox;
import io.twinbell.node.alert.store.AlertStore;
import io.twinbell.node.alert.store.JdbcExpectationQueries;
import io.twinbell.node.api.stream.ChangeStream;
import io.twinbell.node.audit.store.AuditSeals;
import io.twinbell.node.calendar.CalendarEdits;
import io.twinbell.node.calendar.store.CalendarStore;
import io.twinbell.node.calendar.store.LaggingTasks;
import io.twinbell.node.cluster.store.ActivityMinutes;
import io.twinbell.node.cluster.store.HandlerKeys;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.defaults.DefaultsEdits;
import io.twinbell.node.defaults.store.TaskDefaultsStore;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.step.StepThread;
import io.twinbell.node.execution.PeriodicQuery;
import io.twinbell.node.execution.StuckDetector;
import io.twinbell.node.execution.store.LedgerChanges;
import io.twinbell.node.execution.store.SlotsInDoubt;
import io.twinbell.node.execution.store.UnfinishedExecutions;
import io.twinbell.node.jmx.LeadershipNotifications;
import io.twinbell.node.limit.store.AppQuotaStore;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.loop.Loops;
import io.twinbell.node.loop.Signals;
import io.twinbell.node.metrics.EngineTotals;
import io.twinbell.node.pair.database.NodeDatabase;
import io.twinbell.node.pair.host.HostFacts;
import io.twinbell.node.pair.host.HostSurvey;
import io.twinbell.node.task.definition.AlertCall;
import io.twinbell.node.upkeep.ActivityRecorder;
import io.twinbell.node.upkeep.AppQuotas;
import io.twinbell.node.upkeep.AuditUpkeep;
import io.twinbell.node.upkeep.Housekeeper;
import io.twinbell.node.upkeep.SnapshotWatch;
import io.twinbell.node.upkeep.store.JdbcLedgerUpkeep;
import io.twinbell.node.upkeep.store.LedgerUpkeep;
import io.twinbell.node.upkeep.store.SnapshotSurvey;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DatabaseUrl;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.task.TaskStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The node's background work: change stream, housekeeping, calendars, pause expiry and alerts. Each has a thread of its
 * own, and no firing and no heartbeat waits for it.
 */
final class BackgroundThreads implements AutoCloseable {
    private static final Duration BETWEEN_LOOKS_AT_HOSTS = Duration.ofSeconds(5);
    private static final Duration BETWEEN_DOUBT_COUNTS = Duration.ofSeconds(5);
    /** Older slots in doubt are not counted; they are listed on request. */
    private static final Duration DOUBTS_COUNTED = Duration.ofHours(24);

    private final ChangeStream changes;
    private final StuckDetector stuck;
    private final ActivityRecorder activity;
    private final CalendarEdits calendars;
    private final DefaultsEdits defaults;
    private final AlertStore alerts;
    private final StepThread changeStream;
    private final StepThread alertThread;
    private final List<StepThread> threads;
    private final DeferredStart deferred;
    /** The servers of database.url that accept writes, as last asked. */
    private volatile List<String> primaries = List.of();

    private volatile long slotsInDoubt;

    /**
     * @param totals what the engine has done
     * @param epoch supplies this node's epoch while it is master, otherwise null
     * @param alertCaller makes the call of an alert
     * @param noStandby supplies why no other node could take over from this master now
     */
    BackgroundThreads(
            NodeDatabase database,
            NodeConfig config,
            TaskStore tasks,
            Supplier<EngineTotals> totals,
            EngineClocks clocks,
            Supplier<Epoch> epoch,
            Signals<NodeEvent> signals,
            Function<AlertCall, CompletableFuture<HandlerOutcome>> alertCaller,
            LeadershipNotifications notifications,
            Supplier<Optional<String>> noStandby,
            MetricRegistry registry,
            Loops loops) {
        NodeConfig.Retention retention = config.retention();
        DatabaseClock clock = clocks.database();
        Ticker ticker = clocks.monotonic();
        Loop housekeeping = loops.loop("housekeeper");
        Loop calendarLoop = loops.loop("calendars");
        Loop pauseLoop = loops.loop("pause-ends");
        Loop alertLoop = loops.loop("alerts");
        Loop streamLoop = loops.loop("change-stream");
        deferred = new DeferredStart(loops.loop("background"), ticker);
        changes = new ChangeStream(
                new LedgerChanges(database.pool()), ticker, () -> signals.raise(NodeEvent.STREAM_OPENED));
        stuck = new StuckDetector(
                new UnfinishedExecutions(database.housekeeping()), ticker, loops.loop("stuck-detector"));
        SlotsInDoubt inDoubt = new SlotsInDoubt(database.housekeeping());
        PeriodicQuery doubtCount = new PeriodicQuery(BETWEEN_DOUBT_COUNTS, ticker, loops.loop("doubt-count"));
        SnapshotWatch snapshots = new SnapshotWatch(
                new SnapshotSurvey(database.housekeeping())::survey, ticker, loops.loop("snapshot-watch"));
        LaggingTasks lagging = new LaggingTasks(database.pool());
        calendars = new CalendarEdits(new CalendarStore(database.pool()), lagging);
        defaults = new DefaultsEdits(new TaskDefaultsStore(database.pool()), lagging, calendars::fresh);
        Housekeeper housekeeper = new Housekeeper(
                new JdbcLedgerUpkeep(database.housekeeping()), kept(retention), clock, ticker, epoch, loops);
        AuditUpkeep audit = new AuditUpkeep(
                new AuditSeals(database.housekeeping()),
                retention.audit().days(),
                retention.audit().isLogged(),
                clock,
                ticker,
                epoch,
                loops);
        AppQuotas quotas = new AppQuotas(
                new AppQuotaStore(database.housekeeping()), config.quota(), ticker, epoch, loops.loop("quotas"));
        activity = new ActivityRecorder(
                new ActivityMinutes(database.pool()),
                totals,
                config.nodeId(),
                clock,
                ticker,
                epoch,
                loops.loop("activity"));
        PauseExpiry pauseExpiry = new PauseExpiry(tasks, () -> epoch.get() != null, clock, calendars::fresh, pauseLoop);
        alerts = new AlertStore(database.pool());
        AlertListener listener = new JmxAlertListener(notifications);
        UnknownHandlerSurvey unknownHandlers = new UnknownHandlerSurvey(
                new HandlerKeys(database.pool())::unknownInUse,
                () -> epoch.get() != null,
                clock,
                ticker,
                loops.loop("unknown-handlers"));
        ExpectationMonitor watches = new ExpectationMonitor(
                new JdbcExpectationQueries(database.housekeeping()),
                retention.succeeded(),
                ticker,
                loops.loop("task-watches"));
        AlertOutbox outbox = new AlertOutbox(database.pool());
        Alerts processing = new Alerts(
                outbox,
                new Deliveries(
                        outbox,
                        alertCaller,
                        listener,
                        ticker,
                        registry,
                        () -> signals.raise(NodeEvent.ALERT_ATTEMPT_ENDED)),
                new OngoingConditions(stuck::stuckReport, unknownHandlers::report, noStandby, ticker),
                watches,
                listener,
                epoch,
                clock,
                ticker,
                calendars::fresh,
                retention.executions(),
                alertLoop);
        alertThread = new StepThread(alertLoop, processing::step);
        changeStream = new StepThread(streamLoop, () -> changes.step(streamLoop));
        List<StepThread> all = new ArrayList<>(List.of(
                changeStream,
                new StepThread(
                        housekeeping,
                        () -> LongStream.of(
                                        housekeeper.step(),
                                        audit.step(),
                                        quotas.step(),
                                        stuck.step(),
                                        doubtCount.step(() -> slotsInDoubt = inDoubt.found(DOUBTS_COUNTED)),
                                        snapshots.step(),
                                        activity.step(),
                                        watches.step(),
                                        unknownHandlers.step())
                                .min()
                                .getAsLong()),
                new StepThread(calendarLoop, () -> Math.min(calendars.step(calendarLoop), defaults.step(calendarLoop))),
                new StepThread(pauseLoop, pauseExpiry::step),
                alertThread));
        watchHosts(database.settings(), ticker, loops).ifPresent(all::add);
        threads = List.copyOf(all);
        registry.gauge("slots_in_doubt", () -> this::slotsInDoubt);
        registry.gauge("apps_at_quota", () -> quotas::reached);
        // One, if the URL names only one server.
        registry.gauge("database_primaries", () -> () -> primaries.size());
        registry.gauge("snapshot_held_seconds", () -> snapshots::seconds);
    }

    /** Has a thread of its own, because a host that does not answer costs seconds; none if there is one host. */
    private Optional<StepThread> watchHosts(DatabaseSettings settings, Ticker ticker, Loops loops) {
        List<String> hosts = new DatabaseUrl(settings.url()).hosts();
        if (hosts.size() == 1) {
            primaries = hosts;
            return Optional.empty();
        }
        Loop loop = loops.loop("database-hosts");
        HostSurvey survey = new HostSurvey(settings);
        PeriodicQuery look = new PeriodicQuery(BETWEEN_LOOKS_AT_HOSTS, ticker, loop);
        return Optional.of(new StepThread(
                loop,
                () -> look.step(() -> primaries = HostFacts.primaries(survey.survey()).stream()
                        .map(HostFacts::host)
                        .toList())));
    }

    /** What a person should know although the node may fire, a sentence each. */
    List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        activity.failing().ifPresent(warnings::add);
        List<String> known = primaries;
        if (known.size() > 1) {
            warnings.add(known.size() + " servers of the database accept writes: " + String.join(", ", known)
                    + "; commits of one are missing on the other");
        }
        return warnings;
    }

    private static Housekeeper.RetentionTimes kept(NodeConfig.Retention retention) {
        return new Housekeeper.RetentionTimes(
                retention.executions(),
                Map.of(
                        LedgerUpkeep.RetentionClass.SUCCEEDED, retention.succeeded(),
                        LedgerUpkeep.RetentionClass.FAILED, retention.failed(),
                        LedgerUpkeep.RetentionClass.SKIPPED, retention.skipped()),
                retention.finishedTasks());
    }

    ChangeStream changes() {
        return changes;
    }

    StuckDetector stuck() {
        return stuck;
    }

    /**
     * How many slots in doubt successors recorded in the last 24 hours, as counted every 5 s. A slot in doubt may have
     * run before its row was lost with the database's primary.
     */
    long slotsInDoubt() {
        return slotsInDoubt;
    }

    CalendarEdits calendars() {
        return calendars;
    }

    DefaultsEdits defaults() {
        return defaults;
    }

    AlertStore alerts() {
        return alerts;
    }

    /** Wakes the change stream, because a client has connected. */
    void wakeChangeStream() {
        changeStream.wake();
    }

    /** Wakes the processing of alerts, because a delivery has a result to record. */
    void wakeAlerts() {
        alertThread.wake();
    }

    /**
     * Starts the threads once the node's first task has fired, or after a second.
     *
     * @param warmUp is started after them
     */
    void startSoon(StepThread warmUp) {
        deferred.begin(Stream.concat(threads.stream(), Stream.of(warmUp)).toList());
    }

    /** The node's first task has fired: nothing waits any more for the processors that the threads need. */
    void firstFired() {
        deferred.firstFired();
    }

    @Override
    public void close() {
        deferred.close();
        threads.forEach(StepThread::close);
    }

    /** Sends alerts as JMX notifications. */
    private record JmxAlertListener(LeadershipNotifications notifications) implements AlertListener {
        @Override
        public void onAlert(String alert, String key, String summary, long events) {
            notifications.alert(alert, key, summary, events);
        }

        @Override
        public void givenUp(String alert, String key, String summary, String error) {
            notifications.alertGivenUp(alert, key, summary, error);
        }
    }
}
