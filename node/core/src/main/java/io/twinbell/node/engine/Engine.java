package io.twinbell.node.engine;

import io.twinbell.ha.role.MasterDuties;
import io.twinbell.ha.role.Predecessor;
import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.engine.run.EngineMetrics;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.settle.ExecutionRequests;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.engine.trigger.HeapAction;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.engine.worker.Workers;
import io.twinbell.node.loop.Loops;
import io.twinbell.node.loop.Signals;
import io.twinbell.persistence.clock.MeasuredClock;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Runs due tasks while this node is master. {@link EngineAssembly} assembles its parts; each of them has a step, and
 * {@link #start} starts the threads around the steps. {@code connect} says which event wakes which thread.
 */
public final class Engine implements MasterDuties, AutoCloseable {
    private static final Duration SETTLE_AGAIN = Duration.ofMillis(500);

    private final EngineAssembly parts;
    private final Signals<EngineEvent> signals;
    private final RunRegistry registry;
    private final SystemTasks systemTasks;
    /** The epoch under which this node fires; null while it does not. */
    private volatile Epoch firing;

    /** Assembles an engine with threads of its own, which {@link #start} starts. */
    public Engine(
            EnginePorts ports,
            EngineBounds bounds,
            EngineClocks clocks,
            HandlerRunner handlers,
            EngineMetrics metrics,
            EngineListener listener) {
        this(ports, bounds, clocks, handlers, metrics, listener, ThreadModel.THREADS);
    }

    /** Assembles an engine with other threads, such as none at all. */
    public Engine(
            EnginePorts ports,
            EngineBounds bounds,
            EngineClocks clocks,
            HandlerRunner handlers,
            EngineMetrics metrics,
            EngineListener listener,
            ThreadModel threads) {
        this(new EngineAssembly(ports, bounds, clocks, handlers, metrics, listener, threads));
    }

    Engine(EngineAssembly parts) {
        this.parts = parts;
        signals = parts.signals;
        registry = parts.registry;
        systemTasks = parts.systemTasks;
        connect();
    }

    /** Connects each event to the threads that it wakes. {@link EngineEvent} says who raises each event. */
    private void connect() {
        Runnable settle = () -> systemTasks.soon(SystemTasks.SETTLE);
        signals.on(EngineEvent.ACTION_ADDED, parts.triggerThread::wake)
                .on(EngineEvent.FIRING_CHANGED, parts.triggerThread::wake)
                .on(EngineEvent.TASKS_DUE, parts.claimerThread::wake)
                .on(EngineEvent.TASK_CHANGED, this::wakeClaimerWhileFiring)
                .on(EngineEvent.ROOM_FREED, parts.claimerThread::wake)
                .on(EngineEvent.LIMITS_CHANGED, parts.claimerThread::wake)
                .on(EngineEvent.LIMIT_HISTORY_READ, parts.claimerThread::wake)
                .on(EngineEvent.HEARTBEAT_MADE, parts.claimerThread::wake)
                .on(EngineEvent.EPOCH_BEGUN, parts.claimerThread::wake, settle)
                .on(EngineEvent.LEDGER_CHANGED, parts.claimerThread::wake, settle)
                .on(EngineEvent.PAUSE_CHANGED, settle)
                .on(EngineEvent.PAUSE_ENDED, this::pauseChanged)
                .on(EngineEvent.EXECUTION_REPLACED, settle)
                .on(EngineEvent.OUTCOME_ADDED, parts.recorderThread::wake)
                .on(EngineEvent.CALLBACKS_CHANGED, parts.callbackThread::wake)
                .on(EngineEvent.LIMIT_HISTORY_WANTED, parts.limitHistoryThread::wake);
    }

    /** A standby does not read the tasks again. */
    private void wakeClaimerWhileFiring() {
        if (firing != null) {
            parts.claimerThread.wake();
        }
    }

    /** The loops of this node that retry after an error, for their status. */
    public Loops loops() {
        return parts.metrics.loops();
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
        parts.workers.start(
                () -> parts.backpressure.timing(parts.executor::perform), id -> systemTasks.run(id, systemWork));
        parts.recorderThread.start();
        parts.limitHistoryThread.start();
        parts.callbackThread.start();
        parts.claimerThread.start();
        parts.triggerThread.start();
    }

    @Override
    public void take(Epoch epoch, Predecessor predecessor) {
        // If the machine has slept, its measurement of the database's time may be old. The epoch's opening time is a
        // lower bound.
        MeasuredClock clock = parts.clocks.database();
        clock.atLeast(epoch.openedAtMillis() * 1000);
        // Tasks whose runs the old master still finishes count as running.
        parts.drainingTasks.read();
        parts.settler.begin(predecessor);
        parts.callbackAttempts.begin(epoch);
        parts.pause.begin(predecessor);
        // Set before the first page is read: a change made while it is read must be noticed.
        firing = epoch;
        parts.claimer.begin(epoch);
        parts.firstFire.begin(epoch, clock.nowMillis());
        applyPause();
        signals.raise(EngineEvent.EPOCH_BEGUN);
        signals.raise(EngineEvent.CALLBACKS_CHANGED);
    }

    @Override
    public void stopClaiming(Epoch epoch) {
        firing = null;
        parts.callbackAttempts.stop(epoch);
        applyPause();
        systemTasks.cancel(SystemTasks.SETTLE);
        parts.claimer.stop();
        parts.actions.add(new HeapAction.Clear());
    }

    @Override
    public void handBack(Epoch epoch, Duration kept) {
        if (!kept.isZero()) {
            parts.startCheck.handOver(epoch);
        }
        parts.handBack.unstarted(epoch, kept);
        parts.outcomes.retryAll();
    }

    @Override
    public boolean isFinished(Epoch epoch) {
        return !registry.hasAny(epoch);
    }

    @Override
    public void interrupt(Epoch epoch) {
        for (Run run : registry.of(epoch)) {
            if (run.handBack()) {
                registry.remove(run);
            } else {
                parts.executor.release(run);
            }
        }
        parts.workers.forgetHandedBack();
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
            boolean isCancelling = loops().askPart("cancel", () -> parts.requests.cancel(epoch));
            loops().runPart("release", () -> parts.settler.release(epoch, parts.requests.release(epoch)));
            Duration again = parts.settler.step(epoch);
            return isCancelling ? ExecutionRequests.CANCEL_AGAIN : again;
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
                parts.claimer::warmUp,
                parts.settler::warmUp,
                parts.outcomes::warmUp,
                parts.startCheck::warmUp,
                parts.drainingTasks::warmUp);
    }

    /** Checks whether the task heap lacks tasks that the table says are overdue. The heartbeat calls this. */
    public void reconcile() {
        parts.outcomes.addLongRuns();
        parts.readRequests.checkOverdue();
        parts.claimer.pendingChanged();
        signals.raise(EngineEvent.HEARTBEAT_MADE);
    }

    /** Reads these tasks again, because their rows were written. On a standby, its copies of them count as outdated. */
    public void changed(long... taskIds) {
        parts.readRequests.changed(taskIds);
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
        parts.compiler.calendarsChanged();
    }

    /** Reads the limits again, because one was set or removed. The change applies to runs that start from now on. */
    public void limitsChanged() {
        parts.limits.changed();
        signals.raise(EngineEvent.LIMITS_CHANGED);
    }

    /** Reads everything again, because notifications may have been lost. */
    public void everythingChanged() {
        parts.compiler.calendarsChanged();
        limitsChanged();
        if (firing != null) {
            parts.readRequests.addAll();
            ledgerChanged();
        }
    }

    /** Looks at the ledger again, because pending rows or skipped slots were entered. */
    public void ledgerChanged() {
        if (firing != null) {
            parts.claimer.pendingChanged();
            signals.raise(EngineEvent.LEDGER_CHANGED);
        }
    }

    /** Reads whether firing is paused. Runs on the system worker. */
    public void refreshPauses() {
        if (parts.pause.read()) {
            pauseChanged();
        }
    }

    /** Looks for answers to parked runs, because one was given. */
    public void callbackAnswered() {
        if (firing != null) {
            signals.raise(EngineEvent.CALLBACKS_CHANGED);
        }
    }

    /** How many runs wait for an answer from outside. */
    public int parkedRuns() {
        return registry.parkedCount();
    }

    private void pauseChanged() {
        applyPause();
        ledgerChanged();
        signals.raise(EngineEvent.PAUSE_CHANGED);
    }

    public boolean isPaused() {
        return parts.pause.isPaused();
    }

    /** The open pause of all firing, as last read from the database. */
    public Optional<Pause> openPause() {
        return parts.pause.open();
    }

    /** The open standing pauses in the order of their keys, as last read from the database. */
    public List<Pause> standingPauses() {
        return parts.pause.standing();
    }

    /** Synchronized, so that the last call applies the latest state. */
    private synchronized void applyPause() {
        parts.lag.begin();
        parts.trigger.fire(firing != null && !parts.pause.isPaused());
        signals.raise(EngineEvent.FIRING_CHANGED);
        parts.pause.scheduleReadAtPauseEnd();
    }

    public int heapSize() {
        return parts.trigger.heapSize();
    }

    /** How late the firing is now, computed from memory. */
    public FiringLag lag() {
        return parts.lag.measure();
    }

    /** The earliest fire time of all tasks as a standby last read it; {@link Long#MAX_VALUE} for none. */
    public long soonestSeenMillis() {
        return parts.table.soonestSeenMillis();
    }

    public long lastRebuildMillis() {
        return parts.table.lastRebuildMillis();
    }

    public int actionDepth() {
        return parts.actions.depth();
    }

    public int actionCapacity() {
        return parts.actions.capacity();
    }

    public Workers workers() {
        return parts.workers;
    }

    public int runsInFlight() {
        return registry.size();
    }

    @Override
    public void close() {
        parts.triggerThread.close();
        parts.claimerThread.close();
        parts.limitHistoryThread.close();
        parts.callbackThread.close();
        parts.workers.stop();
        parts.recorderThread.close();
        parts.deadlines.close();
    }
}
