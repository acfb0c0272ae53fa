package io.twinbell.node.engine.run;

import io.twinbell.node.engine.handler.AttemptReports;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.handler.Parking;
import io.twinbell.node.engine.handler.RunAttributes;
import io.twinbell.node.engine.handler.RunLog;
import io.twinbell.node.engine.task.Overlap;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Slot;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A claimed attempt held by this process, from its claim until its outcome is durable. A thread that wants to start it,
 * hand it back or end it must first win the change of its state, so it starts at most once and has one outcome. Few
 * objects are created before the start: thousands of runs may wait for one instant, and a garbage collection would move
 * all their objects.
 */
public final class Run {
    private static final long NEVER = Long.MAX_VALUE;

    private enum State {
        WAITING,
        STARTED,
        HANDED_BACK,
        ENDED
    }

    private final Epoch epoch;
    private final Attempt attempt;
    private final TaskDefinition definition;
    private final int length;
    private final long urgency;
    private final short app;
    private volatile int generation;
    /** Written only under this run's own lock. */
    private volatile State state = State.WAITING;

    private final RunLog logContext;
    private AttemptReports attemptReports;
    private RunAttributes attributes;
    private volatile CallbackState callbackState;
    private volatile long startedMicros = NEVER;
    private volatile boolean markedRunning;
    private volatile boolean queueing;
    private volatile AtomicInteger waiting;
    private volatile long takenMillis;
    private volatile long endedMillis = NEVER;
    private volatile TaskRuns ofTask;
    private Thread thread;
    private Future<?> pending;
    private boolean stopped;
    private HandlerOutcome verdict;
    private boolean left;

    /**
     * @param length the number of characters of the definition's text
     * @param generation the generation of the database server at the claim, or before
     */
    public Run(Epoch epoch, Attempt attempt, TaskDefinition definition, int length, int generation) {
        this.epoch = epoch;
        this.generation = generation;
        this.attempt = attempt;
        this.definition = definition;
        this.length = length;
        logContext = new RunLog(attempt.app(), attempt.name(), attempt.slot(), attempt.attempt(), epoch);
        app = AppHash.of(attempt.app());
        urgency = Urgency.of(
                attempt.slot().fireTimeMillis(), definition.contentionPolicy().priority());
    }

    public Epoch epoch() {
        return epoch;
    }

    public Attempt attempt() {
        return attempt;
    }

    /** The generation of the newest database server that is known to have the claim. */
    public int generation() {
        return generation;
    }

    /** Notes that a server of this generation has the claim. */
    public void confirmUnder(int newer) {
        generation = newer;
    }

    public Slot slot() {
        return attempt.slot();
    }

    public TaskDefinition definition() {
        return definition;
    }

    int length() {
        return length;
    }

    /** Every key under which a limit may apply to it. */
    public List<String> limitKeys() {
        return definition.limitKeys(attempt.app(), attempt.tags());
    }

    /** The task's {@link AppHash}. */
    public short app() {
        return app;
    }

    /** The run's {@link Urgency}. */
    public long urgency() {
        return urgency;
    }

    /** Counts the run in the given counter until it is started, handed back or ended. */
    public void countsIn(AtomicInteger waitingRuns) {
        waitingRuns.incrementAndGet();
        waiting = waitingRuns;
    }

    /** Sets the time at which this process took the run, by the database's clock. */
    public void takenAt(long nowMillis) {
        takenMillis = nowMillis;
    }

    /**
     * The time since which it could have started and has not; {@link Long#MAX_VALUE} if it will not start, or may be
     * waiting for another run of its task.
     */
    long waitingSinceMillis() {
        boolean mayWaitForAnother = waitsItsTurn() || definition.overlap() == Overlap.CANCEL_RUNNING;
        return isWaiting() && !mayWaitForAnother ? Math.max(slot().fireTimeMillis(), takenMillis) : NEVER;
    }

    /** Sets when its end was queued to be recorded. */
    public void endedAt(long nowMillis) {
        endedMillis = nowMillis;
    }

    /** When its end was queued to be recorded; {@link Long#MAX_VALUE} before that. */
    long endedMillis() {
        return endedMillis;
    }

    /** Sets the runs of its task. */
    void belongsTo(TaskRuns runs) {
        ofTask = runs;
    }

    /** The runs of its task; null before it is in flight. */
    TaskRuns ofTask() {
        return ofTask;
    }

    /** What its handler reports; null before it has started. */
    public AttemptReports attemptReports() {
        return hasStarted() ? attemptReports : null;
    }

    /** @param parking how its handler can park it */
    public HandlerCall call(Parking parking) {
        return new HandlerCall(
                slot(),
                attempt.app(),
                attempt.name(),
                attempt.tags(),
                attempt.attempt(),
                epoch,
                definition.handler(),
                definition.data(),
                startedMicros,
                definition.timeout(),
                attemptReports,
                attributes,
                parking,
                logContext);
    }

    /**
     * Begins to park it, unless that has begun.
     *
     * @param isBeforeCall whether its handler is called only when the run is parked
     * @return whether it has begun now
     */
    public synchronized boolean beginParking(boolean isBeforeCall) {
        boolean begins = callbackState == null;
        if (begins) {
            markedRunning = true;
            callbackState = new CallbackState(isBeforeCall);
        }
        return begins;
    }

    /** The progress of parking it; null if it is not to be parked. */
    public CallbackState callbackState() {
        return callbackState;
    }

    /** Whether its outcome is written to its parked row first. */
    public boolean isParked() {
        return callbackState != null;
    }

    /** Whether it waits for an answer, and a successor would adopt it. */
    public boolean isAccepted() {
        return callbackState != null && callbackState.isAccepted();
    }

    /** Whether it waits for other runs of its task instead of being skipped because of them. */
    public boolean waitsItsTurn() {
        return attempt.attempt() > 1 || attempt.inTurn();
    }

    public synchronized boolean begin(long nowMicros) {
        if (state != State.WAITING) {
            return false;
        }
        // Set before the state: a thread that sees the started state must also see the start time.
        attemptReports = new AttemptReports();
        attributes = new RunAttributes();
        startedMicros = nowMicros;
        return leaveWaiting(State.STARTED);
    }

    public boolean handBack() {
        return leaveWaiting(State.HANDED_BACK);
    }

    private boolean leaveWaiting(State next) {
        boolean won = change(State.WAITING, next);
        if (won && waiting != null) {
            waiting.decrementAndGet();
        }
        return won;
    }

    /**
     * The state is checked before locking: the lock holder may be stopping the handler, and most callers come too late
     * anyway.
     */
    private boolean change(State from, State to) {
        if (state != from) {
            return false;
        }
        synchronized (this) {
            boolean won = state == from;
            if (won) {
                state = to;
            }
            return won;
        }
    }

    /** Ends it here to wait in the ledger; returns false if it has started or ended. */
    public boolean queue() {
        queueing = true;
        queueing = endUnstarted();
        return queueing;
    }

    /** Whether it is about to wait in the ledger. */
    boolean isQueueing() {
        return queueing;
    }

    /** Ends it before it starts; returns true for the one caller that does. */
    public boolean endUnstarted() {
        return leaveWaiting(State.ENDED);
    }

    /** Ends it; returns true for the first caller. */
    public boolean end() {
        return endUnstarted() || change(State.STARTED, State.ENDED);
    }

    /** Whether a worker is to start it, or to call the handler of a parked run. */
    boolean wantsWorker() {
        return isWaiting() || isRunning() && callbackState != null && callbackState.isCallDue();
    }

    public boolean isWaiting() {
        return state == State.WAITING;
    }

    public boolean isRunning() {
        return state == State.STARTED;
    }

    /** When its handler started, by the database's clock in milliseconds; {@link Long#MAX_VALUE} before that. */
    public long startedMillis() {
        return startedMicros == NEVER ? NEVER : startedMicros / 1000;
    }

    /** When its handler started, in microseconds; {@link Long#MAX_VALUE} before that. */
    public long startedMicros() {
        return startedMicros;
    }

    public boolean hasStarted() {
        return startedMicros != NEVER;
    }

    /** True at the first call only: its row is marked RUNNING at most once. */
    public boolean takeRunningMark() {
        boolean isFirst = !markedRunning;
        markedRunning = true;
        return isFirst;
    }

    /** Notes that the handler runs on this thread; returns false if the run was stopped before. */
    public synchronized boolean enter(Thread worker) {
        thread = worker;
        return !stopped;
    }

    /** Notes that the handler has left its thread; the future it still waits for, if any, can be cancelled. */
    public synchronized void leave(Future<?> waitsFor) {
        thread = null;
        pending = waitsFor;
        if (stopped && pending != null) {
            pending.cancel(true);
        }
    }

    /** Interrupts the handler, on its thread or in its future; its outcome still counts. */
    public synchronized void stop() {
        stopped = true;
        interrupt();
    }

    /** Interrupts the handler and sets the run's outcome, unless an earlier call has set it. */
    public synchronized void stop(HandlerOutcome settled) {
        verdict = verdict == null ? settled : verdict;
        stop();
    }

    /** Interrupts the handler. Unless the handler still succeeds, a successor settles the run. */
    public synchronized void leaveToSuccessor() {
        left = true;
        stop();
    }

    public synchronized boolean isLeftToSuccessor() {
        return left;
    }

    /** The run's outcome: the one set by a stop, otherwise the handler's own. */
    public synchronized HandlerOutcome verdictOr(HandlerOutcome own) {
        return verdict == null ? own : verdict;
    }

    private void interrupt() {
        if (thread != null) {
            thread.interrupt();
        }
        if (pending != null) {
            pending.cancel(true);
        }
    }

    /** Whether its handler was interrupted. */
    public synchronized boolean isStopped() {
        return stopped;
    }

    /** Whether the handler still occupies a worker's thread. */
    public synchronized boolean isOnThread() {
        return thread != null;
    }
}
