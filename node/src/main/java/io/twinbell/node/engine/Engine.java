package io.twinbell.node.engine;

import io.twinbell.ha.role.MasterDuties;
import io.twinbell.ha.role.Predecessor;
import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.engine.claim.ClaimedRuns;
import io.twinbell.node.engine.claim.Claimer;
import io.twinbell.node.engine.claim.LimitSync;
import io.twinbell.node.engine.definition.DefinitionCompiler;
import io.twinbell.node.engine.definition.ReadAhead;
import io.twinbell.node.engine.definition.TableReads;
import io.twinbell.node.engine.run.Backpressure;
import io.twinbell.node.engine.run.EngineMetrics;
import io.twinbell.node.engine.run.InFlight;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.settle.Canceller;
import io.twinbell.node.engine.settle.HandBack;
import io.twinbell.node.engine.settle.ReleaseHandler;
import io.twinbell.node.engine.settle.Settler;
import io.twinbell.node.engine.settle.SqlArrivals;
import io.twinbell.node.engine.step.Deadlines;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.step.IndependentParts;
import io.twinbell.node.engine.step.Stepper;
import io.twinbell.node.engine.step.SupersededListener;
import io.twinbell.node.engine.step.TimeSources;
import io.twinbell.node.engine.step.TrustWindow;
import io.twinbell.node.engine.trigger.ActionQueue;
import io.twinbell.node.engine.trigger.Burst;
import io.twinbell.node.engine.trigger.DueInbox;
import io.twinbell.node.engine.trigger.HeapAction;
import io.twinbell.node.engine.trigger.LookAhead;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.engine.trigger.Trigger;
import io.twinbell.node.engine.worker.OutcomeRecorder;
import io.twinbell.node.engine.worker.ReportRecorder;
import io.twinbell.node.engine.worker.RunExecutor;
import io.twinbell.node.engine.worker.StartCheck;
import io.twinbell.node.engine.worker.WorkerCounts;
import io.twinbell.node.engine.worker.Workers;
import io.twinbell.node.handler.call.HandlerRunner;
import io.twinbell.node.loop.Loops;
import io.twinbell.persistence.calendar.CalendarSource;
import io.twinbell.persistence.cluster.FiringPauses.Pause;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.MeasuredClock;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.epoch.Doubt;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.ledger.journal.ClaimCheck;
import io.twinbell.persistence.ledger.record.Recorder;
import io.twinbell.persistence.ledger.record.ReportWriter;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.limit.LimitSource;
import io.twinbell.persistence.task.SkippedRanges;
import io.twinbell.persistence.task.SqlArrivalSource;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Runs due tasks while this node is master: puts trigger, claimer, workers, recorder and settler together. Each part
 * has a step. {@link #start} puts threads around the steps; a test may call them itself instead.
 */
public final class Engine implements MasterDuties, AutoCloseable {
    private static final Duration SETTLE_AGAIN = Duration.ofMillis(500);
    private static final int ACTION_CAPACITY = 10_000;

    private final MeasuredClock clock;
    private final EngineMetrics metrics;
    private final Loops loops;
    private final ActionQueue actions = new ActionQueue(ACTION_CAPACITY);
    private final SystemTasks systemTasks;
    private final InFlight inFlight;
    private final Deadlines deadlines;
    private final RunExecutor executor;
    private final Workers workers;
    private final Trigger trigger;
    private final ReadAhead ahead;
    private final TableReads table;
    private final Claimer claimer;
    private final OutcomeRecorder outcomes;
    private final Settler settler;
    private final IndependentParts parts;
    private final ReleaseHandler releaseHandler;
    private final Canceller canceller;
    private final HandBack handBack;
    private final CalendarBook calendars;
    private final FiringPauseState held;
    private final LimitSync limits;
    private final StartCheck startCheck;
    private final LagMeter lag;
    private final Stepper triggerThread;
    private final Stepper claimerThread;
    private final Stepper recorderThread;
    private final Stepper startsThread;
    private final Stepper readerThread;
    private volatile Epoch firing;
    private volatile SupersededListener onFenced = (epoch, writes) -> {};

    /**
     * The database ports. Ports that must not wait for each other use separate connections. {@code doubt} is asked when
     * an epoch begins.
     */
    public record Ports(
            EpochRegister gateRegister,
            Ledger ledger,
            DueTasks dueTasks,
            DueTasks readAhead,
            Recorder recorder,
            ReportWriter reports,
            RecoveryStore recovery,
            SqlArrivalSource arrivals,
            SkippedRanges skippedRanges,
            Supplier<List<Pause>> pauses,
            CalendarSource calendars,
            LimitSource limits,
            ClaimCheck claimCheck,
            Doubt.Source doubt) {}

    /**
     * @param workers number of worker threads for handlers
     * @param maxInFlight how many runs this process takes on at once
     * @param retention how long the ledger keeps a row
     */
    public record Bounds(int workers, int maxInFlight, Duration retention) {}

    public Engine(Ports ports, Bounds bounds, EngineClocks clocks, HandlerRunner handlers, EngineMetrics metrics) {
        this(ports, bounds, clocks, handlers, metrics, ThreadModel.THREADS);
    }

    Engine(
            Ports ports,
            Bounds bounds,
            EngineClocks clocks,
            HandlerRunner handlers,
            EngineMetrics metrics,
            ThreadModel threads) {
        clock = clocks.database();
        Ticker ticker = clocks.monotonic();
        this.metrics = metrics;
        loops = metrics.loops();
        parts = new IndependentParts(loops);
        deadlines = threads.deadlines();
        held = new FiringPauseState(ports.pauses(), ports.doubt(), clock, deadlines, this::pauseChanged);
        systemTasks = new SystemTasks(actions, clock, loops);
        Backpressure backpressure = new Backpressure(bounds.workers(), ticker);
        inFlight = new InFlight(InFlight.Bounds.of(bounds.maxInFlight()), backpressure);
        TrustWindow trust = new TrustWindow(ticker, clocks.uptime(), clocks.wall());
        startCheck = new StartCheck(trust, ports.gateRegister(), this::fenced, ports.claimCheck());
        outcomes = new OutcomeRecorder(ports.recorder(), inFlight, clock, this::fenced, metrics);
        outcomes.confirmsTo(ports.claimCheck());
        outcomes.keeps(new ReportRecorder(ports.reports(), inFlight, clock, loops.loop("reports")));
        executor = new RunExecutor(startCheck, inFlight, handlers, outcomes, clock, actions, deadlines);
        workers = threads.workers(bounds.workers(), () -> backpressure.timing(executor::perform), systemTasks::run);
        executor.onStuck(workers::replaceWorkerOf);
        executor.onStart(metrics.firstFire()::started);
        executor.onVanished(this::changed);
        DueInbox due = new DueInbox();
        LookAhead lookAhead = new LookAhead(ticker, inFlight::startableSoon);
        calendars = new CalendarBook(ports.calendars());
        DefinitionCompiler compiler = new DefinitionCompiler(calendars);
        ClaimedRuns claims = new ClaimedRuns(inFlight, actions, outcomes, metrics, compiler, clock, ports.claimCheck());
        limits = new LimitSync(ports.limits(), inFlight, clock, loops.loop("limited-starts"));
        TimeSources measured = clocks.measured();
        ahead = new ReadAhead(ports.readAhead(), compiler, ReadAhead.PATIENCE);
        table = new TableReads(ports.dueTasks(), actions, measured, compiler, ahead);
        claimer = new Claimer(
                ports.ledger(),
                new Claimer.ClaimSources(table, limits),
                trust,
                claims,
                new Claimer.Lane(due, actions, lookAhead, loops.loop("claimer")),
                () -> held.world(bounds.retention()),
                this::fenced);
        handBack = new HandBack(ports.ledger(), ports.claimCheck(), inFlight, workers, ticker);
        settler = new Settler(
                ports.recovery(),
                new SqlArrivals(ports.arrivals(), ports.skippedRanges(), calendars),
                inFlight,
                claims,
                measured,
                this::changed,
                new Settler.Claims(claimer::isInDoubt, held::isPaused));
        releaseHandler = new ReleaseHandler(ports.recovery(), inFlight, executor);
        canceller = new Canceller(ports.recovery(), inFlight, executor);
        executor.onReplaced(request -> {
            canceller.ask(request);
            systemTasks.soon(SystemTasks.SETTLE);
        });
        Burst burst = new Burst(workers::queued);
        PreBurstCollection room =
                new PreBurstCollection(claimer::step, due, burst, clock, inFlight::size, threads.memory());
        claimerThread = threads.stepper(
                loops.loop("claimer"), BurstYield.claiming(room::step, burst, due, clock, ticker)::step);
        trigger = new Trigger(actions, due, claimerThread::wake, lookAhead, workers, burst, metrics::heapMiss);
        lag = new LagMeter(trigger, due, claimer::waitingSince, inFlight, workers, lookAhead, measured);
        triggerThread = threads.stepper(loops.loop("trigger"), () -> trigger.step(clock.nowNanos()));
        recorderThread = threads.stepper(loops.loop("recorder"), BurstYield.recording(outcomes, burst, ticker)::step);
        startsThread = threads.stepper(loops.loop("limited-starts"), limits::readLimits);
        readerThread = threads.stepper(loops.loop("read-ahead"), ahead::step);
        ahead.wakes(readerThread::wake);
        limits.wakes(claimerThread::wake, startsThread::wake);
        actions.wakes(triggerThread::wake);
        outcomes.wakes(recorderThread::wake, this::changed);
        outcomes.makesRoom(claimerThread::wake);
        inFlight.tells(this::changed);
    }

    /** Sets the callback that steps the node down when a write was refused because its epoch is superseded. */
    public void onFenced(Consumer<Epoch> stepDown) {
        onFenced = (epoch, writes) -> stepDown.accept(epoch);
    }

    /** The loops of this node that retry after an error, for their status. */
    public Loops loops() {
        return loops;
    }

    public SystemTasks systemTasks() {
        return systemTasks;
    }

    public void start() {
        workers.start();
        recorderThread.start();
        startsThread.start();
        readerThread.start();
        claimerThread.start();
        triggerThread.start();
    }

    private void fenced(Epoch epoch, int writes) {
        metrics.fenced(writes);
        onFenced.superseded(epoch, writes);
    }

    @Override
    public void take(Epoch epoch, Predecessor predecessor) {
        // A machine that has slept may not have read the database's time since. The epoch's opening time is a lower
        // bound.
        clock.atLeast(epoch.openedAtMillis() * 1000);
        settler.readDraining();
        settler.begin(predecessor);
        held.begin(predecessor);
        // Set before the first page is read: a change made while it is read must be noticed.
        firing = epoch;
        claimer.begin(epoch);
        metrics.firstFire().begin(epoch, clock.nowMillis());
        applyPause();
        claimerThread.wake();
        systemTasks.soon(SystemTasks.SETTLE);
    }

    @Override
    public void stopClaiming(Epoch epoch) {
        firing = null;
        applyPause();
        systemTasks.cancel(SystemTasks.SETTLE);
        claimer.stop();
        actions.add(new HeapAction.Clear());
    }

    @Override
    public void handBack(Epoch epoch) {
        handBack.unstarted(epoch);
        outcomes.retryAll();
    }

    @Override
    public boolean isFinished(Epoch epoch) {
        return !inFlight.hasAny(epoch);
    }

    @Override
    public void interrupt(Epoch epoch) {
        for (Run run : inFlight.of(epoch)) {
            if (run.handBack()) {
                inFlight.remove(run);
            } else {
                executor.release(run);
            }
        }
        workers.forgetHandedBack();
    }

    /**
     * Does one pass of settling; returns when to run again, or {@code null} if this node is not firing. Runs as a
     * system task.
     */
    public Duration settle() {
        Epoch epoch = firing;
        try {
            if (epoch == null) {
                return null;
            }
            boolean isCancelling = parts.ask("cancel", () -> canceller.step(epoch));
            parts.run("release", () -> settler.release(epoch, releaseHandler.step(epoch)));
            Duration again = settler.step(epoch);
            return isCancelling ? Canceller.AGAIN : again;
        } catch (DatabaseUnavailableException e) {
            systemTasks.loop(SystemTasks.SETTLE).failed(e);
            return SETTLE_AGAIN;
        }
    }

    /**
     * Runs the statements of a master without authority, so that a promotion finds connections open, statements
     * prepared and code compiled. They change nothing, because no node has their epoch. The work is split into parts
     * because the thread that runs them may be needed in between.
     */
    public List<Runnable> warmUps() {
        return List.of(claimer::warmUp, ahead::warmUp, settler::warmUp, outcomes::warmUp, startCheck::warmUp);
    }

    /** Checks whether the task heap lacks tasks that the table says are overdue. The heartbeat calls this. */
    public void reconcile() {
        outcomes.addLongRuns();
        table.checkOverdue();
        claimer.pendingChanged();
        claimerThread.wake();
    }

    /**
     * Reads these tasks again, because their rows were written. What a standby has read of them is outdated as well.
     */
    public void changed(long... taskIds) {
        table.changed(taskIds);
        if (firing != null) {
            claimerThread.wake();
        }
    }

    /** Looks at pauses again after a jump of the clock that system tasks are due by. */
    public void clockJumped() {
        if (firing != null) {
            // The jump may have passed the end of a cluster pause.
            pauseChanged();
        }
    }

    /** Reads the calendars again before the next claim, because one was written. */
    public void calendarsChanged() {
        calendars.outdated();
    }

    /** Reads the limits again, because one was set or removed. The change applies to runs that start from now on. */
    public void limitsChanged() {
        limits.changed();
        claimerThread.wake();
    }

    /** Reads everything again, because notifications may have been lost. */
    public void everythingChanged() {
        calendars.outdated();
        limitsChanged();
        if (firing != null) {
            table.everythingChanged();
            ledgerChanged();
        }
    }

    /** Looks at the ledger again, because pending rows or skipped slots were entered. */
    public void ledgerChanged() {
        if (firing != null) {
            claimer.pendingChanged();
            claimerThread.wake();
            systemTasks.soon(SystemTasks.SETTLE);
        }
    }

    /** Reads whether firing is paused. Runs on the system worker. */
    public void refreshPauses() {
        if (held.read()) {
            pauseChanged();
        }
    }

    private void pauseChanged() {
        applyPause();
        ledgerChanged();
        systemTasks.soon(SystemTasks.SETTLE);
    }

    public boolean isPaused() {
        return held.isPaused();
    }

    /** Synchronized, so that the last call applies the latest state. */
    private synchronized void applyPause() {
        lag.begin();
        trigger.fire(firing != null && !held.isPaused());
        triggerThread.wake();
        held.scheduleReadAtPauseEnd();
    }

    public int heapSize() {
        return trigger.heapSize();
    }

    /** How late the firing is now, computed from memory. */
    public FiringLag lag() {
        return lag.measure();
    }

    /** The earliest fire time of all tasks as a standby last read it; {@link Long#MAX_VALUE} for none. */
    public long soonestSeenMillis() {
        return table.soonestSeenMillis();
    }

    public long lastRebuildMillis() {
        return table.lastRebuildMillis();
    }

    public int actionDepth() {
        return actions.depth();
    }

    public int actionCapacity() {
        return actions.capacity();
    }

    public WorkerCounts workers() {
        return workers;
    }

    public int runsInFlight() {
        return inFlight.size();
    }

    @Override
    public void close() {
        triggerThread.close();
        claimerThread.close();
        readerThread.close();
        startsThread.close();
        workers.stop();
        recorderThread.close();
        deadlines.close();
    }
}
