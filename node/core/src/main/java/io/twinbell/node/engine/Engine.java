package io.twinbell.node.engine;

import io.twinbell.ha.role.MasterDuties;
import io.twinbell.ha.role.Predecessor;
import io.twinbell.node.engine.claim.Claimer;
import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.engine.run.EngineMetrics;
import io.twinbell.node.engine.run.InFlight;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.settle.Canceller;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.engine.step.IndependentParts;
import io.twinbell.node.engine.task.TaskCompiler;
import io.twinbell.node.engine.trigger.HeapAction;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.engine.worker.WorkerCounts;
import io.twinbell.node.loop.Loops;
import io.twinbell.node.loop.Signals;
import io.twinbell.persistence.clock.MeasuredClock;
import io.twinbell.persistence.cluster.FiringPauses.Pause;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.DoubtWindow;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.ledger.journal.ClaimCheck;
import io.twinbell.persistence.ledger.parked.ParkedStore;
import io.twinbell.persistence.ledger.record.Recorder;
import io.twinbell.persistence.ledger.record.ReportWriter;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.limit.LimitSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Runs due tasks while this node is master. {@link EngineParts} assembles its parts; each of them has a step, and
 * {@link #start} puts threads around the steps. {@code connect} says which event wakes which thread.
 */
public final class Engine implements MasterDuties, AutoCloseable {
    private static final Duration SETTLE_AGAIN = Duration.ofMillis(500);

    private final SharedState shared;
    private final RunningParts running;
    private final ClaimingParts claiming;
    private final SettlingParts settling;
    private final EngineThreads threads;
    private final LagMeter lag;
    private final Signals<EngineEvent> signals;
    private final InFlight inFlight;
    private final TaskCompiler compiler;
    private final Claimer claimer;
    private final SystemTasks systemTasks;
    private final IndependentParts settlingPass;
    /** The epoch under which this node fires; null while it does not. */
    private volatile Epoch firing;

    /**
     * The database ports, and what makes sense of definitions. Ports that must not wait for each other use separate
     * connections.
     *
     * @param sqlArrivals processes a bounded number of changes made by SQL; returns whether there may be more
     * @param doubt is asked when an epoch begins
     */
    public record Ports(
            EpochRegister startCheckRegister,
            Ledger ledger,
            DueTasks dueTasks,
            DueTasks readAhead,
            Recorder recorder,
            ReportWriter reports,
            RecoveryStore recovery,
            RecoveryStore startRecovery,
            TaskCompiler compiler,
            BooleanSupplier sqlArrivals,
            Supplier<List<Pause>> pauses,
            LimitSource limits,
            ClaimCheck claimCheck,
            DoubtWindow.Source doubt,
            ParkedStore parked) {}

    /**
     * @param workers number of worker threads for handlers
     * @param maxInFlight how many runs this process takes on at once
     * @param retention how long the ledger keeps a row
     * @param firesPerMinute how many executions of an app may start in a minute; 0 for any number
     */
    public record Bounds(int workers, int maxInFlight, Duration retention, int firesPerMinute) {
        /** Bounds without a quota of apps. */
        public Bounds(int workers, int maxInFlight, Duration retention) {
            this(workers, maxInFlight, retention, 0);
        }
    }

    /**
     * Receives the events of the engine that the rest of the node must know. Called on the engine's threads, so it must
     * return at once.
     */
    public interface Listener {
        /** For an engine that belongs to no node of the pair. */
        Listener NONE = new Listener() {
            @Override
            public void superseded(Epoch epoch, int refusedWrites) {}

            @Override
            public void firstFired(Epoch epoch, long micros) {}
        };

        /** The database refused writes because their epoch is superseded. */
        void superseded(Epoch epoch, int refusedWrites);

        /** The first handler under the epoch has started, this many microseconds after the earliest possible time. */
        void firstFired(Epoch epoch, long micros);
    }

    public Engine(
            Ports ports,
            Bounds bounds,
            EngineClocks clocks,
            HandlerRunner handlers,
            EngineMetrics metrics,
            Listener listener) {
        this(new EngineParts(ports, bounds, clocks, handlers, metrics, listener, ThreadModel.THREADS));
    }

    Engine(EngineParts parts) {
        shared = parts.shared;
        running = parts.running;
        claiming = parts.claiming;
        settling = parts.settling;
        threads = parts.threads;
        lag = parts.lag;
        signals = shared.signals;
        inFlight = shared.inFlight;
        compiler = parts.compiler;
        claimer = claiming.claimer;
        systemTasks = shared.systemTasks;
        settlingPass = new IndependentParts(loops());
        connect();
    }

    /** Connects each event to the threads that it wakes. {@link EngineEvent} says who raises each event. */
    private void connect() {
        Runnable settle = () -> systemTasks.soon(SystemTasks.SETTLE);
        signals.on(EngineEvent.ACTION_ADDED, threads.trigger::wake)
                .on(EngineEvent.FIRING_CHANGED, threads.trigger::wake)
                .on(EngineEvent.TASKS_DUE, threads.claimer::wake)
                .on(EngineEvent.TASK_CHANGED, this::wakeClaimerWhileFiring)
                .on(EngineEvent.ROOM_FREED, threads.claimer::wake)
                .on(EngineEvent.LIMITS_CHANGED, threads.claimer::wake)
                .on(EngineEvent.LIMIT_HISTORY_READ, threads.claimer::wake)
                .on(EngineEvent.HEARTBEAT_MADE, threads.claimer::wake)
                .on(EngineEvent.EPOCH_BEGUN, threads.claimer::wake, settle)
                .on(EngineEvent.LEDGER_CHANGED, threads.claimer::wake, settle)
                .on(EngineEvent.PAUSE_CHANGED, settle)
                .on(EngineEvent.PAUSE_ENDED, this::pauseChanged)
                .on(EngineEvent.EXECUTION_REPLACED, settle)
                .on(EngineEvent.OUTCOME_ADDED, threads.recorder::wake)
                .on(EngineEvent.PARKED_CHANGED, threads.parked::wake)
                .on(EngineEvent.LIMIT_HISTORY_WANTED, threads.limitHistory::wake)
                .on(EngineEvent.DEFINITIONS_WANTED, threads.readAhead::wake);
    }

    /** A standby does not read the tasks again. */
    private void wakeClaimerWhileFiring() {
        if (firing != null) {
            threads.claimer.wake();
        }
    }

    /** The loops of this node that retry after an error, for their status. */
    public Loops loops() {
        return shared.metrics.loops();
    }

    public SystemTasks systemTasks() {
        return systemTasks;
    }

    /**
     * Starts the engine's threads.
     *
     * @param systemWork what the system tasks do
     */
    public void start(SystemTasks.Work systemWork) {
        running.workers.start(
                () -> shared.backpressure.timing(running.executor::perform), id -> systemTasks.run(id, systemWork));
        threads.recorder.start();
        threads.limitHistory.start();
        threads.readAhead.start();
        threads.parked.start();
        threads.claimer.start();
        threads.trigger.start();
    }

    @Override
    public void take(Epoch epoch, Predecessor predecessor) {
        // If the machine has slept, its measurement of the database's time may be old. The epoch's opening time is a
        // lower bound.
        MeasuredClock clock = shared.clocks.database();
        clock.atLeast(epoch.openedAtMillis() * 1000);
        settling.settler.readDraining();
        settling.settler.begin(predecessor);
        settling.parkedAttempts.begin(epoch);
        claiming.pause.begin(predecessor);
        // Set before the first page is read: a change made while it is read must be noticed.
        firing = epoch;
        claimer.begin(epoch);
        shared.firstFire.begin(epoch, clock.nowMillis());
        applyPause();
        signals.raise(EngineEvent.EPOCH_BEGUN);
        signals.raise(EngineEvent.PARKED_CHANGED);
    }

    @Override
    public void stopClaiming(Epoch epoch) {
        firing = null;
        settling.parkedAttempts.stop(epoch);
        applyPause();
        systemTasks.cancel(SystemTasks.SETTLE);
        claimer.stop();
        shared.actions.add(new HeapAction.Clear());
    }

    @Override
    public void handBack(Epoch epoch, Duration kept) {
        if (!kept.isZero()) {
            running.startCheck.handOver(epoch);
        }
        settling.handBack.unstarted(epoch, kept);
        running.outcomes.retryAll();
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
                running.executor.release(run);
            }
        }
        running.workers.forgetHandedBack();
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
            boolean isCancelling = settlingPass.ask("cancel", () -> settling.canceller.step(epoch));
            settlingPass.run("release", () -> settling.settler.release(epoch, settling.releaseHandler.step(epoch)));
            Duration again = settling.settler.step(epoch);
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
        return List.of(
                claimer::warmUp,
                claiming.readAhead::warmUp,
                settling.settler::warmUp,
                running.outcomes::warmUp,
                running.startCheck::warmUp,
                running.drainingTasks::warmUp);
    }

    /** Checks whether the task heap lacks tasks that the table says are overdue. The heartbeat calls this. */
    public void reconcile() {
        running.outcomes.addLongRuns();
        shared.readRequests.checkOverdue();
        claimer.pendingChanged();
        signals.raise(EngineEvent.HEARTBEAT_MADE);
    }

    /** Reads these tasks again, because their rows were written. On a standby, its copies of them count as outdated. */
    public void changed(long... taskIds) {
        shared.readRequests.changed(taskIds);
    }

    /** Reads the pauses again after a jump of the database's clock. */
    public void clockJumped() {
        if (firing != null) {
            // The jump may have passed the end of a cluster pause.
            pauseChanged();
        }
    }

    /** Reads the calendars again before the next claim, because one was written. */
    public void calendarsChanged() {
        compiler.calendarsChanged();
    }

    /** Reads the limits again, because one was set or removed. The change applies to runs that start from now on. */
    public void limitsChanged() {
        claiming.limits.changed();
        signals.raise(EngineEvent.LIMITS_CHANGED);
    }

    /** Reads everything again, because notifications may have been lost. */
    public void everythingChanged() {
        compiler.calendarsChanged();
        limitsChanged();
        if (firing != null) {
            shared.readRequests.addAll();
            ledgerChanged();
        }
    }

    /** Looks at the ledger again, because pending rows or skipped slots were entered. */
    public void ledgerChanged() {
        if (firing != null) {
            claimer.pendingChanged();
            signals.raise(EngineEvent.LEDGER_CHANGED);
        }
    }

    /** Reads whether firing is paused. Runs on the system worker. */
    public void refreshPauses() {
        if (claiming.pause.read()) {
            pauseChanged();
        }
    }

    /** Looks for answers to parked runs, because one was given. */
    public void parkedAnswered() {
        if (firing != null) {
            signals.raise(EngineEvent.PARKED_CHANGED);
        }
    }

    /** How many runs wait for an answer from outside. */
    public int parkedRuns() {
        return inFlight.parkedCount();
    }

    private void pauseChanged() {
        applyPause();
        ledgerChanged();
        signals.raise(EngineEvent.PAUSE_CHANGED);
    }

    public boolean isPaused() {
        return claiming.pause.isPaused();
    }

    /** The open pause of all firing, as last read from the database. */
    public Optional<Pause> openPause() {
        return claiming.pause.open();
    }

    /** The open standing pauses in the order of their keys, as last read from the database. */
    public List<Pause> standingPauses() {
        return claiming.pause.standing();
    }

    /** Synchronized, so that the last call applies the latest state. */
    private synchronized void applyPause() {
        lag.begin();
        running.trigger.fire(firing != null && !claiming.pause.isPaused());
        signals.raise(EngineEvent.FIRING_CHANGED);
        claiming.pause.scheduleReadAtPauseEnd();
    }

    public int heapSize() {
        return running.trigger.heapSize();
    }

    /** How late the firing is now, computed from memory. */
    public FiringLag lag() {
        return lag.measure();
    }

    /** The earliest fire time of all tasks as a standby last read it; {@link Long#MAX_VALUE} for none. */
    public long soonestSeenMillis() {
        return claiming.table.soonestSeenMillis();
    }

    public long lastRebuildMillis() {
        return claiming.table.lastRebuildMillis();
    }

    public int actionDepth() {
        return shared.actions.depth();
    }

    public int actionCapacity() {
        return shared.actions.capacity();
    }

    public WorkerCounts workers() {
        return running.workers;
    }

    public int runsInFlight() {
        return inFlight.size();
    }

    @Override
    public void close() {
        threads.trigger.close();
        threads.claimer.close();
        threads.readAhead.close();
        threads.limitHistory.close();
        threads.parked.close();
        running.workers.stop();
        threads.recorder.close();
        shared.deadlines.close();
    }
}
