package io.twinbell.node.virtual;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.ha.role.Predecessor;
import io.twinbell.ha.role.Role;
import io.twinbell.node.api.cluster.ClusterView.Readiness;
import io.twinbell.node.api.exchange.ExecutionJson;
import io.twinbell.node.api.slot.TaskSlots;
import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.calendar.CalendarReader;
import io.twinbell.node.compile.DefinitionCompiler;
import io.twinbell.node.compile.SqlArrivals;
import io.twinbell.node.defaults.DefaultsEdits;
import io.twinbell.node.engine.Engine;
import io.twinbell.node.engine.EngineBounds;
import io.twinbell.node.engine.EngineListener;
import io.twinbell.node.engine.EnginePorts;
import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.TaskCompiler;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.ExecutionFilter;
import io.twinbell.node.execution.store.ExecutionQueries.ExecutionPage;
import io.twinbell.node.handler.intercept.InterceptedRunner;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.limit.store.StandingPauses;
import io.twinbell.node.memory.MemoryDueTasks;
import io.twinbell.node.memory.MemoryEpochs;
import io.twinbell.node.memory.MemoryLedger;
import io.twinbell.node.memory.MemoryLimits;
import io.twinbell.node.memory.MemoryRecorder;
import io.twinbell.node.memory.MemoryRecovery;
import io.twinbell.node.memory.MemoryRequests;
import io.twinbell.node.memory.MemoryRow;
import io.twinbell.node.memory.MemoryTables;
import io.twinbell.node.memory.MemoryTaskStore;
import io.twinbell.node.memory.NoCallbacks;
import io.twinbell.node.memory.TableListener;
import io.twinbell.node.metrics.MetricSample;
import io.twinbell.node.metrics.NodeMetrics;
import io.twinbell.node.metrics.PrometheusText;
import io.twinbell.node.pair.LibraryNode;
import io.twinbell.node.pair.RegisteredCode;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.clock.MeasuredClock;
import io.twinbell.persistence.database.SchemaName;
import io.twinbell.persistence.epoch.DoubtWindow;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.journal.ClaimJournal;
import io.twinbell.persistence.ledger.record.ReportWriter;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskName;
import io.twinbell.persistence.task.TaskStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * A master in virtual time. Its engine, its decisions and its handlers are those of a real node. The parts of a real
 * node that do not fire tasks (API, election, alerts) do not exist here, and calls to them say so.
 */
public final class VirtualNode implements LibraryNode {
    private static final int WORKERS = 1;
    private static final int MAX_IN_FLIGHT = 10_000;

    private final VirtualSettings settings;
    /** Held while the tables are used, because an application may enqueue on any thread. */
    private final ReentrantLock lock = new ReentrantLock();

    private final VirtualTimeline time;
    private final MemoryTables tables;
    private final MemoryTaskStore tasks;
    private final VirtualHandlers handlers;
    /** Null if there is no database for transactional handlers. */
    private final VirtualTransactions transactions;

    private final HandlerRunner runner;
    private final CalendarBook calendars;
    private VirtualTimeline.VirtualProcess process;
    private Engine engine;
    private PrometheusText metrics;
    private Epoch epoch;
    private int lives;
    private volatile boolean isClosed;

    /**
     * The tasks at one time.
     *
     * @param at by the virtual clock
     */
    public record Mark(Instant at, MemoryTables tasks) {}

    public VirtualNode(RegisteredCode code, VirtualSettings settings) {
        this(code, settings, null);
    }

    /** @param database where transactional handlers run their transactions; null if there is none */
    public VirtualNode(RegisteredCode code, VirtualSettings settings, DataSource database) {
        this.settings = settings;
        tables = new MemoryTables(() -> currentMicros());
        time = new VirtualTimeline(
                settings.start(), () -> Math.min(tables.nextEventMillis(), tables.nextPauseEndMillis()));
        transactions = database == null ? null : new VirtualTransactions(database, this::beginChanges);
        handlers = new VirtualHandlers(code.handlers(), settings, new MemoryRecorder(tables), time, transactions);
        runner = new VirtualHandlers.UnlockedRunner(InterceptedRunner.around(handlers, code.interceptors()), lock);
        calendars = new CalendarBook(tables);
        tasks = new MemoryTaskStore(tables, handlers::check);
        settings.limits().forEach(tables::putLimit);
        settings.calendars().forEach((name, json) -> {
            CalendarReader.compiled(name, 1, json);
            tables.putCalendar(name, json);
        });
        begin(Predecessor.over(0));
    }

    private long currentMicros() {
        return time.nowMicros();
    }

    private MeasuredClock measuredClock() {
        MeasuredClock measured = new MeasuredClock(time.ticker(), time.wall());
        measured.measured(time.nowMicros(), time.ticker().nanos());
        return measured;
    }

    /** Starts a new process, which becomes master at once. */
    private void begin(Predecessor predecessor) {
        String node = lives++ % 2 == 0 ? "a" : "b";
        process = new VirtualTimeline.VirtualProcess(time);
        MetricRegistry registry = new MetricRegistry();
        NodeMetrics engineMetrics = new NodeMetrics(registry);
        metrics = new PrometheusText(registry, engineMetrics.apps());
        EngineClocks clocks = new EngineClocks(measuredClock(), time.ticker(), time.ticker(), time.wall());
        engine = process.engine(
                ports(),
                new EngineBounds(WORKERS, MAX_IN_FLIGHT, settings.retention()),
                clocks,
                runner,
                engineMetrics,
                EngineListener.NONE);
        process.loop("pauses", this::endPauses).start();
        epoch = tables.openEpoch(node);
        tables.tell(listener(engine));
        engine.start(SystemTasks.Work.settling(engine::settle));
        engine.take(epoch, predecessor);
    }

    private long endPauses() {
        tasks.endPauses(TaskChanges.endPause(calendars()));
        long end = tables.nextPauseEndMillis();
        long left = end == Long.MAX_VALUE ? Long.MAX_VALUE : (end - tables.nowMillis()) * 1_000_000 + 1_000_000;
        return Math.min(left, Duration.ofSeconds(1).toNanos());
    }

    private EnginePorts ports() {
        CalendarBook engineCalendars = new CalendarBook(tables);
        TaskCompiler compiler = new DefinitionCompiler(engineCalendars);
        SqlArrivals skipped = new SqlArrivals((limit, arrivalDecider) -> 0, tasks, engineCalendars, compiler);
        return new EnginePorts(
                new MemoryEpochs(tables),
                new MemoryLedger(tables),
                new MemoryDueTasks(tables),
                new MemoryRecorder(tables),
                ReportWriter.NONE,
                new MemoryRecovery(tables),
                new MemoryRecovery(tables),
                compiler,
                skipped::step,
                List::of,
                new MemoryLimits(tables),
                ClaimJournal.NEVER_PROMOTED,
                isResigned -> DoubtWindow.DoubtBounds.NONE,
                new NoCallbacks());
    }

    private static TableListener listener(Engine engine) {
        return new TableListener() {
            @Override
            public void taskChanged(long id) {
                engine.changed(id);
            }

            @Override
            public void ledgerChanged() {
                engine.ledgerChanged();
            }

            @Override
            public void limitsChanged() {
                engine.limitsChanged();
            }

            @Override
            public void calendarsChanged() {
                engine.calendarsChanged();
            }
        };
    }

    public Instant now() {
        return time.now();
    }

    /** Begins the changes of a transaction of the application. */
    public VirtualChanges beginChanges() {
        return new VirtualChanges(this, tables, tasks, lock);
    }

    /** The changes of the transactional handler that this thread runs; empty if it runs none. */
    public Optional<VirtualChanges> changesOfHandler() {
        return Optional.ofNullable(transactions == null ? null : transactions.current());
    }

    /** @throws UnsupportedOperationException if virtual time cannot run the handler of this task */
    void check(TaskContent task) {
        handlers.check(task);
    }

    /** A warning, if this node has java handlers and the task names another one. */
    Optional<String> unknownKey(TaskContent task) {
        String key = task.handlerKey();
        boolean isKnown =
                key == null || handlers.live().isEmpty() || handlers.live().contains(key);
        return isKnown ? Optional.empty() : Optional.of("no node has a java handler with the key \"" + key + "\"");
    }

    /** The executions of a selection, in the JSON of the HTTP API. */
    public List<String> executions(ExecutionFilter filter, ExecutionPage page) {
        return locked(() -> new VirtualExecutions(tables)
                .list(filter, page).stream()
                        .map(execution -> StrictJson.write(ExecutionJson.answer(execution)))
                        .toList());
    }

    private <T> T locked(Supplier<T> call) {
        lock.lock();
        try {
            return call.get();
        } finally {
            lock.unlock();
        }
    }

    private void lock(Runnable call) {
        locked(() -> {
            call.run();
            return null;
        });
    }

    public boolean isClosed() {
        return isClosed;
    }

    /** The tasks and the time of now, for {@link #reset}. */
    public Mark mark() {
        return locked(() -> {
            MemoryTables tasksOfNow = new MemoryTables(this::currentMicros);
            tasksOfNow.copyTasks(tables);
            return new Mark(now(), tasksOfNow);
        });
    }

    /**
     * Begins again: the time and the tasks are those of the mark, and there are no executions. What was registered while
     * this node ran stays registered.
     *
     * @throws IllegalStateException if a handler calls this, or this node is closed
     */
    public void reset(Mark mark) {
        if (isClosed) {
            throw new IllegalStateException("this node is closed");
        }
        lock(() -> {
            kill();
            time.moveTo(mark.at());
            tables.copyTasks(mark.tasks());
            lives = 0;
            begin(Predecessor.over(0));
        });
    }

    /** Lets time pass, and runs everything that is due by then, on this thread. */
    public void advance(Duration duration) {
        lock(() -> {
            time.advance(duration);
            // As the heartbeat does: the rows of long runs become RUNNING.
            engine.reconcile();
            time.advance(Duration.ZERO);
        });
    }

    /**
     * Kills the master. The other node becomes master at once: it knows that the old process is dead, and settles its
     * executions.
     */
    public void failOver() {
        lock(() -> {
            kill();
            begin(Predecessor.deadSince(epoch.number(), tables.nowMillis()));
        });
    }

    /** Kills both nodes for a time; then one starts. */
    public void down(Duration duration) {
        lock(() -> {
            kill();
            long deadSince = tables.nowMillis();
            time.advance(duration);
            begin(Predecessor.deadSince(epoch.number(), deadSince));
        });
    }

    private void kill() {
        if (time.isAdvancing()) {
            throw new IllegalStateException("a handler must not stop the node that runs it");
        }
        process.kill();
        tables.tell(TableListener.NONE);
    }

    /** The database does not answer for a time, while the master goes on. */
    public void databaseAway(Duration duration) {
        lock(() -> {
            tables.away(true);
            try {
                time.advance(duration);
            } finally {
                tables.away(false);
            }
        });
    }

    /** The ledger's rows of a task in the order of their fire times, with those of removed tasks of this name first. */
    public List<Execution> executionsOf(String app, String name) {
        return locked(() -> tables.rowsOf(new TaskName(app, name)).stream()
                .map(MemoryRow::execution)
                .toList());
    }

    /**
     * Runs a task now, in addition to its schedule.
     *
     * @param data JSON text that takes the place of the task's data; null to use the task's data
     */
    public Slot trigger(Task task, String reason, String data) {
        Schedule schedule = TaskReader.definition(
                        task.content().app(),
                        task.content().name(),
                        task.content().definition(),
                        calendars())
                .schedule();
        return locked(() -> new MemoryRequests(tables).trigger(task, schedule::hasFireTime, reason, data));
    }

    /** Cancels an execution that has not ended; false if it has. */
    public boolean cancel(Slot slot, String reason) {
        return locked(() -> new MemoryRequests(tables).cancel(slot, reason));
    }

    /** Runs an ended execution again; false if it cannot run again. */
    public boolean rerun(Slot slot, String reason) {
        return locked(() -> new MemoryRequests(tables).rerun(slot, reason));
    }

    @Override
    public Role role() {
        return Role.MASTER;
    }

    @Override
    public boolean awaitJoined(Duration bound) {
        return true;
    }

    @Override
    public Optional<String> joinObstacle() {
        return isClosed ? Optional.of("the node is closed") : Optional.empty();
    }

    @Override
    public boolean hasEnded() {
        return isClosed;
    }

    @Override
    public String cluster() {
        return settings.cluster();
    }

    @Override
    public String url() {
        return "";
    }

    @Override
    public TaskStore tasks() {
        return tasks;
    }

    @Override
    public SchemaName schema() {
        return SchemaName.DEFAULT;
    }

    @Override
    public DatabaseClock clock() {
        return tables::nowMillis;
    }

    @Override
    public Calendars calendars() {
        return calendars.fresh();
    }

    @Override
    public TaskSlots slots() {
        return new VirtualExecutions.VirtualTaskSlots(this, new VirtualExecutions(tables));
    }

    @Override
    public DefaultsEdits defaults() {
        throw absent("defaults of tasks");
    }

    @Override
    public String nodeId() {
        return epoch.node();
    }

    @Override
    public long epoch() {
        return epoch.number();
    }

    @Override
    public Readiness readiness() {
        return new Readiness(true, role().name(), List.of());
    }

    @Override
    public List<MetricSample> metrics() {
        return metrics.samples();
    }

    @Override
    public StandingPauses standingPauses() {
        throw absent("standing pauses of the pair");
    }

    static UnsupportedOperationException absent(String what) {
        return new UnsupportedOperationException("virtual time has no " + what + ": test them with a real pair");
    }

    @Override
    public LibraryNode.HandlerRegistry handlers() {
        return handlers;
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        process.kill();
        tables.tell(TableListener.NONE);
    }
}
