package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.handler.ErrorCodes;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.run.EngineMetrics;
import io.twinbell.node.engine.run.ReadRequests;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.engine.step.SupersededListener;
import io.twinbell.node.engine.step.TimeSources;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.loop.Signals;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.journal.ClaimJournal;
import io.twinbell.persistence.ledger.record.Recorder;
import io.twinbell.persistence.ledger.record.ReportWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records outcomes in the ledger in batches: all runs that ended while one batch was written form the next. While the
 * database is unavailable outcomes wait here, at most as many as this process has runs in flight.
 */
public final class OutcomeRecorder {
    private static final Logger LOG = LoggerFactory.getLogger(OutcomeRecorder.class);
    /** Counts rows, including those of followers. */
    private static final int BATCH = 1000;

    private static final int FEW = 50;
    /**
     * The bound on outcomes of rows without a run. It is larger than the number of outcomes that may be set aside, so
     * that those alone do not stop the claims.
     */
    private static final int MOST_UNRUN = 2 * BATCH;
    /** How many times the first warm-up records; later ones record once. */
    private static final int THOROUGHLY = 10;

    private static final int WARM_UP_ROWS = 100;
    private static final long LONG_RUN_MILLIS = 1000;

    /** Half the time limit of a statement: a larger batch of the same kind would exceed it, and delay all others. */
    private static final long SLOW_NANOS = Duration.ofMillis(1500).toNanos();

    private static final long IDLE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long RETRY_NANOS = Duration.ofMillis(200).toNanos();

    private final Recorder recorder;
    private final RunRegistry registry;
    private final TimeSources clocks;
    private final EngineMetrics metrics;
    private final Signals<EngineEvent> signals;
    private final ReadRequests readRequests;
    /** Lock-free, so that workers whose runs end at once do not wait for each other. */
    private final ConcurrentLinkedQueue<PendingRecord> queue = new ConcurrentLinkedQueue<>();

    private final OutcomeRoundRobin turns = new OutcomeRoundRobin();
    private final List<PendingRecord> batch = new ArrayList<>();
    private int rowsOfBatch;
    private final OutcomeWriter writer;
    private final OutcomeIsolation isolation;
    private final Loop loop;
    /** How many rows make a batch: fewer after a batch that took too long or failed. */
    private int atOnce = BATCH;

    private boolean isWarm;
    private final AtomicBoolean isWoken = new AtomicBoolean();
    private final ReportRecorder reportRecorder;
    private final ClaimJournal claims;

    /**
     * @param reports where the reports of handlers are kept
     * @param claims keeps the outcomes confirmed by the database, and knows when the database is promoted
     * @param readRequests gets each task whose run has set its next fire time
     */
    public OutcomeRecorder(
            Recorder recorder,
            ReportWriter reports,
            ClaimJournal claims,
            RunRegistry registry,
            TimeSources clocks,
            SupersededListener supersededListener,
            EngineMetrics metrics,
            Signals<EngineEvent> signals,
            ReadRequests readRequests) {
        this.recorder = recorder;
        this.claims = claims;
        reportRecorder = new ReportRecorder(
                reports, registry, clocks.database(), metrics.loops().loop("reports"));
        this.registry = registry;
        this.clocks = clocks;
        this.metrics = metrics;
        this.signals = signals;
        this.readRequests = readRequests;
        loop = metrics.loops().loop("recorder");
        writer = new OutcomeWriter(recorder, registry, supersededListener, claims::generation);
        isolation = new OutcomeIsolation(writer, registry, loop, clocks.monotonic(), this::recorded);
    }

    /** Records an outcome that never happened, under an epoch that no node has. It changes nothing. */
    public void warmUp() {
        Completion nothing = new Completion(
                Epoch.NOBODY,
                new Slot(0, 0),
                1,
                ExecutionState.SUCCEEDED,
                new Completion.RunTimes(0, 0),
                Completion.Text.NONE,
                Completion.NOT_FOLLOWED);
        for (int time = isWarm ? THOROUGHLY : 1; time <= THOROUGHLY; time++) {
            recorder.record(Epoch.NOBODY, Collections.nCopies(isWarm ? 1 : WARM_UP_ROWS, nothing));
            recorder.recordNothing(nothing);
        }
        isWarm = true;
    }

    /** Adds the outcome of a run that has ended. */
    void add(Run run, HandlerOutcome outcome) {
        add(run, outcome, clocks.database().nowMicros());
    }

    /** Adds the outcome of a run that ended at this time, by the database's clock. */
    void add(Run run, HandlerOutcome outcome, long endedMicros) {
        run.endedAt(clocks.database().nowMillis());
        add(new PendingRecord(run, outcome, endedMicros));
    }

    /** Marks the rows of long runs as running. */
    public void addLongRuns() {
        long now = clocks.database().nowMillis();
        for (Run run : registry.all()) {
            if (run.isRunning() && now - run.startedMillis() > LONG_RUN_MILLIS && run.takeRunningMark()) {
                addRunning(run);
            }
        }
    }

    /** Marks the row of a long run as running. */
    void addRunning(Run run) {
        add(PendingRecord.running(run));
    }

    /** Adds the outcome of a claimed row that cannot be run at all. */
    public void addUnrunnable(Epoch epoch, Attempt attempt, ExecutionState state, String why) {
        boolean isFailure = state == ExecutionState.FAILED;
        Completion.Text text = isFailure
                ? new Completion.Text(null, why, ErrorCodes.UNREADABLE_TASK, null)
                : new Completion.Text(null, null, why);
        Completion.RunTimes times =
                new Completion.RunTimes(Long.MAX_VALUE, clocks.database().nowMicros());
        writer.countUnrun();
        add(PendingRecord.unrun(
                new Completion(epoch, attempt.slot(), attempt.attempt(), state, times, text, Completion.NOT_FOLLOWED)));
    }

    /**
     * Whether so many rows that cannot be run wait to be recorded that no more waiting rows may be claimed. Any thread.
     */
    public boolean hasTooManyUnrunnable() {
        return writer.unrun() >= MOST_UNRUN;
    }

    /** Adds a run that must wait in the ledger, because another run of its task is unfinished. */
    void addQueueing(Run run) {
        run.endedAt(clocks.database().nowMillis());
        add(PendingRecord.waiting(run, null));
    }

    /** Adds a run that must wait in the ledger, because the limit has no room. */
    public void addWaitingFor(Run run, String limitKey) {
        run.endedAt(clocks.database().nowMillis());
        add(PendingRecord.waiting(run, limitKey));
    }

    private void add(PendingRecord pending) {
        queue.add(pending);
        wakeRecorder();
    }

    /** Wakes the recorder once per batch, not for each outcome that joins it. */
    private void wakeRecorder() {
        // Read before it is written: otherwise the cache line would move between thousands of ending workers.
        if (!isWoken.get() && isWoken.compareAndSet(false, true)) {
            signals.raise(EngineEvent.OUTCOME_ADDED);
        }
    }

    private void fillBatch() {
        for (PendingRecord next = queue.poll(); next != null; next = queue.poll()) {
            turns.add(next);
        }
        while (rowsOfBatch < atOnce) {
            PendingRecord next = turns.poll();
            if (next == null) {
                return;
            }
            if (isComputable(next) && !isolation.takeBehind(next)) {
                batch.add(next);
                rowsOfBatch += next.rows();
            }
        }
    }

    /** An outcome that cannot be computed must not stop the others: its run is removed, and settling finds the row. */
    private boolean isComputable(PendingRecord pending) {
        try {
            pending.completion();
            return true;
        } catch (RuntimeException e) {
            LOG.error("the outcome of {} is lost", pending.run().slot().idempotencyKey(), e);
            registry.remove(pending.run());
            return false;
        }
    }

    /** Whether there is a whole batch. The thread that steps calls this. */
    public boolean isFull() {
        fillBatch();
        return rowsOfBatch >= atOnce;
    }

    /**
     * The next fire time of a task that follows its run; otherwise {@link Completion#NOT_FOLLOWED}, or
     * {@link Completion#FINISHED} if there is none.
     */
    public static long nextAfter(Schedule schedule, long endedMillis) {
        if (!schedule.followsTheRun()) {
            return Completion.NOT_FOLLOWED;
        }
        long next = schedule.afterRun(endedMillis);
        return next == Schedule.NEVER ? Completion.FINISHED : next;
    }

    /** Records one batch; returns how long to sleep if nothing is added, in nanoseconds. */
    public long step() {
        // Cleared before the queue is read: a thread that adds after that wakes the recorder again.
        isWoken.set(false);
        fillBatch();
        try {
            reportRecorder.step();
            boolean hasMore = recordBatch();
            boolean isolationHasMore = isolation.step();
            return hasMore || isolationHasMore ? 0 : isolation.sleepNanos(IDLE_NANOS);
        } catch (DatabaseUnavailableException e) {
            loop.failed(e);
            return RETRY_NANOS;
        }
    }

    /** Returns whether there was a batch. */
    private boolean recordBatch() {
        if (batch.isEmpty()) {
            return false;
        }
        // Reports are written before the outcome, so that a reader who sees the end also sees all reports.
        reportRecorder.write(
                batch.stream().map(PendingRecord::run).filter(Objects::nonNull).toList());
        try {
            long began = clocks.monotonic().nanos();
            writer.record(batch, false);
            adapt(clocks.monotonic().nanos() - began);
            recorded(batch);
        } catch (RuntimeException e) {
            if (e instanceof DatabaseUnavailableException unavailable && unavailable.isOutage()) {
                throw e;
            }
            loop.failed(e);
            atOnce = Math.max(FEW, rowsOfBatch / 2);
            isolation.add(batch);
        }
        batch.clear();
        rowsOfBatch = 0;
        return true;
    }

    /** Adapts the batch size: the cost of rows varies with the length of texts and with the load of the server. */
    private void adapt(long tookNanos) {
        if (tookNanos >= SLOW_NANOS) {
            atOnce = Math.max(FEW, rowsOfBatch / 2);
        } else if (tookNanos < SLOW_NANOS / 2) {
            atOnce = Math.min(BATCH, 2 * atOnce);
        }
    }

    private void recorded(List<PendingRecord> together) {
        registry.recordedAt(clocks.monotonic().nanos());
        together.forEach(this::settled);
        writer.forget(together);
        signals.raise(EngineEvent.ROOM_FREED);
    }

    /**
     * Remembers a confirmed outcome. Work that was committed together with its outcome is lost together with it, so
     * then the slot has not run and nothing needs to be remembered.
     */
    private void confirmed(PendingRecord pending) {
        Completion completion = pending.completion();
        if (pending.returnsToPending() || pending.isCommittedWithWork()) {
            claims.givenBack(completion.epoch(), completion.slot(), completion.attempt());
        } else {
            claims.ended(completion);
        }
    }

    /** Retries all outcomes set aside once more, because the node hands over. Any thread. */
    public void retryAll() {
        isolation.retryAll();
        signals.raise(EngineEvent.OUTCOME_ADDED);
    }

    private void settled(PendingRecord pending) {
        if (pending.run() == null || !pending.completion().endsAttempt()) {
            return;
        }
        confirmed(pending);
        if (pending.isQueueing()) {
            registry.overlap().addTaskInTurn(pending.run().slot().taskId());
        } else if (pending.waitedLimit() != null) {
            registry.limits().noteWaiting(pending.waitedLimit());
        }
        if (pending.isOver()) {
            // Measured here and not by the worker, which has other runs to start.
            metrics.ended(pending.run(), pending.completion());
        }
        registry.remove(pending.run());
        if (pending.completion().state().isFinal()) {
            registry.overlap().dropRetry(pending.run().slot());
            if (pending.completion().nextMillis() != Completion.NOT_FOLLOWED) {
                readRequests.changed(pending.run().slot().taskId());
            }
        }
    }
}
