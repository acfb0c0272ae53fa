package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.run.EngineMetrics;
import io.twinbell.node.engine.run.InFlight;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.step.SupersededListener;
import io.twinbell.node.engine.step.TrustWindow;
import io.twinbell.node.handler.HandlerOutcome;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.schedule.Schedule;
import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.ClaimCheck;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Recorder;
import io.twinbell.persistence.ledger.ReportWriter;
import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes outcomes durable, in batches that form by themselves: what has ended while the last batch was written is the
 * next. While the database is away they wait here; there are never more than this process has in flight.
 */
public final class OutcomeRecorder {
    private static final Logger LOG = LoggerFactory.getLogger(OutcomeRecorder.class);
    /** Rows, those of followers included. */
    private static final int BATCH = 1000;

    private static final int FEW = 50;
    /** More than may be set aside, so that these alone do not stop the claims. */
    private static final int MOST_UNRUN = 2 * BATCH;
    /** How often something is recorded in vain the first time. */
    private static final int THOROUGHLY = 10;

    private static final int ROWS_IN_VAIN = 100;
    private static final long LONG_RUN_MILLIS = 1000;

    /** Half of what a statement may take: a larger batch of the same kind would fail by its time, and hold up all others. */
    private static final long SLOW_NANOS = Duration.ofMillis(1500).toNanos();

    private static final long FOREVER_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long RETRY_NANOS = Duration.ofMillis(200).toNanos();

    private final Recorder recorder;
    private final InFlight inFlight;
    private final DatabaseClock clock;
    private final EngineMetrics metrics;
    /** Workers that end at once do not wait for each other here. */
    private final ConcurrentLinkedQueue<PendingRecord> queue = new ConcurrentLinkedQueue<>();

    private final OutcomeTurns turns = new OutcomeTurns();
    private final List<PendingRecord> batch = new ArrayList<>();
    private int rowsOfBatch;
    private final OutcomeWriter writer;
    private final OutcomeIsolation isolation;
    private final Loop loop;
    /** How many rows make a batch: fewer after one that took too long or failed. */
    private int atOnce = BATCH;

    private boolean isWarm;
    private final AtomicBoolean told = new AtomicBoolean();
    private volatile ReportRecorder reportRecorder;
    private volatile ClaimCheck claims = ClaimCheck.NEVER_PROMOTED;
    private volatile Runnable onAdd = () -> {};
    private volatile LongConsumer onFollowed = taskId -> {};
    private volatile Runnable onRoom = () -> {};

    public OutcomeRecorder(
            Recorder recorder,
            InFlight inFlight,
            DatabaseClock clock,
            SupersededListener supersededListener,
            EngineMetrics metrics) {
        reportRecorder = new ReportRecorder(
                ReportWriter.NONE, inFlight, clock, metrics.loops().loop("reports"));
        this.recorder = recorder;
        this.inFlight = inFlight;
        this.clock = clock;
        this.metrics = metrics;
        loop = metrics.loops().loop("recorder");
        writer = new OutcomeWriter(recorder, inFlight, supersededListener);
        isolation = new OutcomeIsolation(writer, inFlight, loop, metrics.ticker(), this::recorded);
    }

    /** Who is woken when there is something to record, and who is told of tasks whose run set their next fire time. */
    public void wakes(Runnable recorderThread, LongConsumer followed) {
        onAdd = recorderThread;
        onFollowed = followed;
    }

    /** Where what handlers report is kept; nowhere until this is called. */
    public void keeps(ReportRecorder kept) {
        reportRecorder = kept;
    }

    /** Sets what keeps the outcomes that the database has confirmed, and knows when the database is promoted. */
    public void confirmsTo(ClaimCheck check) {
        claims = check;
        writer.follows(check::generation);
    }

    /** Records what never was, under an epoch that is nobody's: it changes nothing. */
    public void warmUp() {
        Completion nothing = new Completion(
                TrustWindow.NOBODY,
                new Slot(0, 0),
                1,
                ExecutionState.SUCCEEDED,
                new Completion.Run(0, 0),
                Completion.Text.NONE,
                Completion.NOT_FOLLOWED);
        for (int time = isWarm ? THOROUGHLY : 1; time <= THOROUGHLY; time++) {
            recorder.record(TrustWindow.NOBODY, Collections.nCopies(isWarm ? 1 : ROWS_IN_VAIN, nothing));
            recorder.recordInVain(nothing);
        }
        isWarm = true;
    }

    /** Who is told that runs have left this process's hands, so that others may be claimed. */
    public void makesRoom(Runnable claimer) {
        onRoom = claimer;
    }

    /** The run has ended. */
    void add(Run run, HandlerOutcome outcome) {
        long nowMicros = clock.nowMicros();
        run.endedAt(nowMicros / 1000);
        add(new PendingRecord(run, outcome, nowMicros));
    }

    /** Runs that go on for long: their rows should say so. */
    public void addLongRuns() {
        long now = clock.nowMillis();
        for (Run run : inFlight.all()) {
            if (run.isRunning() && now - run.startedMillis() > LONG_RUN_MILLIS && run.takeRunningMark()) {
                addRunning(run);
            }
        }
    }

    /** The run goes on for long enough that its row should say so. */
    void addRunning(Run run) {
        add(PendingRecord.notYet(run));
    }

    /** A claimed row that cannot be run at all. */
    public void addUnrunnable(Epoch epoch, Attempt attempt, ExecutionState state, String why) {
        boolean isFailure = state == ExecutionState.FAILED;
        Completion.Text text = new Completion.Text(null, isFailure ? why : null, isFailure ? null : why);
        Completion.Run times = new Completion.Run(Long.MAX_VALUE, clock.nowMicros());
        writer.awaitUnrun();
        add(PendingRecord.unrun(
                new Completion(epoch, attempt.slot(), attempt.attempt(), state, times, text, Completion.NOT_FOLLOWED)));
    }

    /** Whether so many of these wait to be recorded that no more waiting rows may be claimed. Any thread. */
    public boolean isFullOfUnrunnable() {
        return writer.unrun() >= MOST_UNRUN;
    }

    /** The run met another of its task, and is to wait in the ledger. */
    void addQueueing(Run run) {
        run.endedAt(clock.nowMillis());
        add(PendingRecord.waiting(run, null));
    }

    /** The run has no room under the limit, and is to wait in the ledger. */
    public void addHeld(Run run, String limitKey) {
        run.endedAt(clock.nowMillis());
        add(PendingRecord.waiting(run, limitKey));
    }

    private void add(PendingRecord pending) {
        queue.add(pending);
        tell();
    }

    /** Once until the next batch is taken: whoever gathers one is not to be woken for each that joins it. */
    private void tell() {
        // Looked at before it is written: thousands of workers' ends would take the line from each other.
        if (!told.get() && told.compareAndSet(false, true)) {
            onAdd.run();
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
            if (isClear(next) && !isolation.takeBehind(next)) {
                batch.add(next);
                rowsOfBatch += next.rows();
            }
        }
    }

    /** One whose outcome leads nowhere must not keep the others: it is let go of, and settling finds its row. */
    private boolean isClear(PendingRecord pending) {
        try {
            pending.completion();
            return true;
        } catch (RuntimeException e) {
            LOG.error("the outcome of {} is lost", pending.run().slot().idempotencyKey(), e);
            inFlight.remove(pending.run());
            return false;
        }
    }

    /** Whether there is a whole batch. Asked by whoever steps. */
    public boolean isFull() {
        fillBatch();
        return rowsOfBatch >= atOnce;
    }

    public static long nextAfter(Schedule schedule, long endedMillis) {
        if (!schedule.followsTheRun()) {
            return Completion.NOT_FOLLOWED;
        }
        long next = schedule.afterRun(endedMillis);
        return next == Schedule.NEVER ? Completion.FINISHED : next;
    }

    /** Records one batch; returns how long to sleep if nothing is added, in nanoseconds. */
    public long step() {
        // Before the look: who adds after it tells again.
        told.set(false);
        fillBatch();
        try {
            reportRecorder.step();
            boolean hasMore = recordBatch();
            return hasMore | isolation.step() ? 0 : isolation.sleepNanos(FOREVER_NANOS);
        } catch (DatabaseUnavailableException e) {
            loop.failed(e);
            return RETRY_NANOS;
        }
    }

    /** Whether there was one. */
    private boolean recordBatch() {
        if (batch.isEmpty()) {
            return false;
        }
        // Before the outcome, so that whoever sees the end sees all that was reported.
        reportRecorder.write(
                batch.stream().map(PendingRecord::run).filter(Objects::nonNull).toList());
        try {
            long began = metrics.ticker().nanos();
            writer.record(batch, false);
            adapt(metrics.ticker().nanos() - began);
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

    /** What rows cost differs: with the length of texts, and with the load of the server. */
    private void adapt(long tookNanos) {
        if (tookNanos >= SLOW_NANOS) {
            atOnce = Math.max(FEW, rowsOfBatch / 2);
        } else if (tookNanos < SLOW_NANOS / 2) {
            atOnce = Math.min(BATCH, 2 * atOnce);
        }
    }

    private void recorded(List<PendingRecord> together) {
        inFlight.recordedAt(metrics.ticker().nanos());
        together.forEach(this::settled);
        writer.forget(together);
        onRoom.run();
    }

    /** What was committed together with its outcome is lost together with it, and so has not run. */
    private void confirmed(PendingRecord pending) {
        Completion completion = pending.completion();
        if (pending.goesOn() || pending.isCommittedWithWork()) {
            claims.givenBack(completion.epoch(), completion.slot(), completion.attempt());
        } else {
            claims.ended(completion);
        }
    }

    /** The node hands over: what was set aside is tried once more now. Any thread. */
    public void tryAllAgain() {
        isolation.tryAllAgain();
        onAdd.run();
    }

    private void settled(PendingRecord pending) {
        if (pending.run() == null || !pending.completion().endsAttempt()) {
            return;
        }
        confirmed(pending);
        if (pending.isQueueing()) {
            inFlight.waitsInLedger(pending.run().slot().taskId());
        } else if (pending.heldBy() != null) {
            inFlight.limits().heldInLedger(pending.heldBy());
        }
        if (pending.isOver()) {
            // Not by the worker, which has others to start.
            metrics.ended(pending.run(), pending.completion());
        }
        inFlight.remove(pending.run());
        if (pending.completion().state().isFinal()) {
            inFlight.retriesNoMore(pending.run().slot());
            if (pending.completion().nextMillis() != Completion.NOT_FOLLOWED) {
                onFollowed.accept(pending.run().slot().taskId());
            }
        }
    }
}
