package io.twinbell.node.engine.run;

import io.twinbell.node.handler.AttemptReports;
import io.twinbell.node.handler.HandlerCall;
import io.twinbell.node.handler.HandlerOutcome;
import io.twinbell.node.handler.RunLog;
import io.twinbell.node.task.Overlap;
import io.twinbell.node.task.TaskDefinition;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Slot;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A claimed attempt in this process's hands, from its claim until its outcome is durable. Whoever wants to start it, give
 * it back or end it must win its state first, so it starts at most once and has one outcome. Thousands wait for one
 * instant, and a collection moves them all: so hardly anything is made before the start.
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
    /** Changes under this run's own lock. */
    private volatile State state = State.WAITING;

    private final RunLog logContext;
    private AttemptReports attemptReports;
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
     * @param length characters of the definition's text
     * @param generation that of the database's server when it was claimed, or before
     */
    public Run(Epoch epoch, Attempt attempt, TaskDefinition definition, int length, int generation) {
        this.epoch = epoch;
        this.generation = generation;
        this.attempt = attempt;
        this.definition = definition;
        this.length = length;
        logContext = new RunLog(attempt.app(), attempt.name(), attempt.slot(), attempt.attempt(), epoch);
        app = AppGroup.of(attempt.app());
        urgency = Urgency.of(attempt.slot().fireTimeMillis(), definition.rank().priority());
    }

    public Epoch epoch() {
        return epoch;
    }

    public Attempt attempt() {
        return attempt;
    }

    /** The generation of the newest server that is known to have the claim. */
    public int generation() {
        return generation;
    }

    /** A server of that generation has the claim. */
    public void foundUnder(int newer) {
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

    /** Every key that a limit on it may be set under. */
    public List<String> limitKeys() {
        return definition.limitKeys(attempt.app(), attempt.tags());
    }

    /** {@link AppGroup} */
    public short app() {
        return app;
    }

    /** {@link Urgency} */
    public long urgency() {
        return urgency;
    }

    /** It counts there until it is started, given back or ended. */
    public void countsIn(AtomicInteger waitingRuns) {
        waitingRuns.incrementAndGet();
        waiting = waitingRuns;
    }

    /** It has come into this process's hands, by the database's clock. */
    public void takenAt(long nowMillis) {
        takenMillis = nowMillis;
    }

    /**
     * Since when it could have started and has not; {@link Long#MAX_VALUE} if it is not to start, or may be waiting for
     * another run of its task.
     */
    long waitingSinceMillis() {
        boolean mayWaitForAnother = waitsItsTurn() || definition.overlap() == Overlap.CANCEL_RUNNING;
        return isWaiting() && !mayWaitForAnother ? Math.max(slot().fireTimeMillis(), takenMillis) : NEVER;
    }

    /** Its end is to be recorded. */
    public void endedAt(long nowMillis) {
        endedMillis = nowMillis;
    }

    /** When its end went to be recorded; {@link Long#MAX_VALUE} before that. */
    long endedMillis() {
        return endedMillis;
    }

    /** It is one of these. */
    void belongsTo(TaskRuns runs) {
        ofTask = runs;
    }

    /** Null before it is in flight. */
    TaskRuns ofTask() {
        return ofTask;
    }

    /** What its handler reports; null before it has started. */
    public AttemptReports attemptReports() {
        return hasStarted() ? attemptReports : null;
    }

    public HandlerCall call() {
        return new HandlerCall(
                slot(),
                attempt.app(),
                attempt.name(),
                attempt.attempt(),
                epoch,
                definition.handler(),
                definition.data(),
                startedMicros,
                definition.timeout(),
                attemptReports,
                logContext);
    }

    /** Whether it waits for other runs of its task rather than being skipped for them. */
    public boolean waitsItsTurn() {
        return attempt.attempt() > 1 || attempt.inTurn();
    }

    public synchronized boolean begin(long nowMicros) {
        if (state != State.WAITING) {
            return false;
        }
        // Before the state: who sees that it has started sees when.
        attemptReports = new AttemptReports();
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

    /** Looked at first: who holds the lock may be stopping the handler, and most of those who ask have lost already. */
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

    /** Gives it up to wait in the ledger; false if it has started or ended otherwise. */
    public boolean queue() {
        queueing = true;
        queueing = endUnstarted();
        return queueing;
    }

    /** It is on its way to wait in the ledger. */
    boolean isQueueing() {
        return queueing;
    }

    /** True for who ends it before it has started. */
    public boolean endUnstarted() {
        return leaveWaiting(State.ENDED);
    }

    /** True for the first who says how it ended. */
    public boolean end() {
        return endUnstarted() || change(State.STARTED, State.ENDED);
    }

    public boolean isWaiting() {
        return state == State.WAITING;
    }

    public boolean isRunning() {
        return state == State.STARTED;
    }

    /** When its handler was started, by the database's clock; {@link Long#MAX_VALUE} before that. */
    public long startedMillis() {
        return startedMicros == NEVER ? NEVER : startedMicros / 1000;
    }

    /** The same in microseconds. */
    public long startedMicros() {
        return startedMicros;
    }

    public boolean hasStarted() {
        return startedMicros != NEVER;
    }

    /** True once: its row is told to be RUNNING at most once. */
    public boolean takeRunningMark() {
        boolean isFirst = !markedRunning;
        markedRunning = true;
        return isFirst;
    }

    /** The handler runs on this thread from now on; false if it was stopped before. */
    public synchronized boolean enter(Thread worker) {
        thread = worker;
        return !stopped;
    }

    /** The handler has left its thread; what it still waits for, if anything, can be cancelled. */
    public synchronized void leave(Future<?> waitsFor) {
        thread = null;
        pending = waitsFor;
        if (stopped && pending != null) {
            pending.cancel(true);
        }
    }

    /** Interrupts the handler, wherever it is; what it has to say is still heard. */
    public synchronized void stop() {
        stopped = true;
        interrupt();
    }

    /** The same, and the run's outcome is settled by it, unless another such call was first. */
    public synchronized void stop(HandlerOutcome settled) {
        verdict = verdict == null ? settled : verdict;
        stop();
    }

    /** Interrupts the handler; if it does not succeed all the same, its outcome is for a successor to settle. */
    public synchronized void leaveToSuccessor() {
        left = true;
        stop();
    }

    public synchronized boolean isLeftToSuccessor() {
        return left;
    }

    /** How it ends, if its handler ended like that. */
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

    /** Whether the handler still occupies a worker's thread. */
    public synchronized boolean isOnThread() {
        return thread != null;
    }
}
