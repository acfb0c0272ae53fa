package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.run.UnrecordableOutcomes;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Isolates outcomes that make a batch fail for a reason other than an outage, and records all others. Each part is
 * halved until the failing outcome is alone. That outcome is set aside. If it may succeed later (a lock, a slow
 * statement, a server without memory), it is retried at growing intervals. If the database refuses it, it is recorded
 * without its texts. If that is refused too, it is given up, and its row is settled. Recorder's thread only, except
 * where noted.
 */
final class OutcomeIsolation {
    /** How many outcomes may wait without their runs. Those of further ones stay in flight and hold back claims. */
    private static final int MOST_WITHOUT_RUNS = 1000;

    private static final int PARTS_A_STEP = 20;
    private static final int FAILURES_A_STEP = 3;
    private static final int TRIES_A_STEP = 5;
    private static final long FIRST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST_PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

    private final OutcomeWriter writer;
    private final RunRegistry registry;
    private final Loop loop;
    private final Ticker ticker;
    private final Consumer<List<PendingRecord>> onRecorded;
    private final UnrecordableOutcomes unrecordable;
    /** In the order in which the runs ended. */
    private final Deque<List<PendingRecord>> parts = new ArrayDeque<>();
    /** How many outcomes of each task are among the parts. Later outcomes of these tasks are queued behind them. */
    private final Map<Long, Integer> tasks = new HashMap<>();

    /** The one that was tried longest ago comes first. */
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    private volatile boolean isAllWanted;

    /** An outcome that is retried when its pause is over. */
    private static final class Waiting {
        private final PendingRecord pending;
        private long pauseNanos = FIRST_PAUSE_NANOS;
        private long dueNanos;

        Waiting(PendingRecord pending, long nowNanos) {
            this.pending = pending;
            dueNanos = nowNanos + pauseNanos;
        }

        void postpone(long nowNanos) {
            pauseNanos = Math.min(LONGEST_PAUSE_NANOS, 2 * pauseNanos);
            dueNanos = nowNanos + pauseNanos;
        }
    }

    /** @param onRecorded called with the outcomes that are in the ledger now */
    OutcomeIsolation(
            OutcomeWriter writer,
            RunRegistry registry,
            Loop loop,
            Ticker ticker,
            Consumer<List<PendingRecord>> onRecorded) {
        this.writer = writer;
        this.registry = registry;
        this.loop = loop;
        this.ticker = ticker;
        this.onRecorded = onRecorded;
        unrecordable = registry.unrecordable();
    }

    /** Adds outcomes whose common batch failed. */
    void add(List<PendingRecord> failed) {
        failed.forEach(pending -> tasks.merge(task(pending), 1, Integer::sum));
        parts.addAll(halves(List.copyOf(failed)));
    }

    /** In order; one half only, if there is one outcome. */
    private static List<List<PendingRecord>> halves(List<PendingRecord> failed) {
        int middle = failed.size() / 2;
        List<PendingRecord> before = failed.subList(0, middle);
        List<PendingRecord> after = failed.subList(middle, failed.size());
        return before.isEmpty() ? List.of(after) : List.of(before, after);
    }

    /**
     * Takes an outcome whose task has others here, so that they are recorded in order; returns false if there are none.
     */
    boolean takeBehind(PendingRecord pending) {
        if (tasks.isEmpty() || !tasks.containsKey(task(pending))) {
            return false;
        }
        tasks.merge(task(pending), 1, Integer::sum);
        parts.addLast(List.of(pending));
        return true;
    }

    /** Retries all outcomes set aside with the next steps, without their pauses. Any thread. */
    void retryAll() {
        isAllWanted = true;
    }

    /** How long until there is something to do, at most the given bound, in nanoseconds. */
    long sleepNanos(long mostNanos) {
        long now = ticker.nanos();
        return waiting.stream()
                .mapToLong(one -> Math.max(1, one.dueNanos - now))
                .reduce(mostNanos, Math::min);
    }

    /**
     * Does one bounded pass; returns whether there is more to do at once.
     *
     * @throws DatabaseUnavailableException if the database is unavailable; no outcome is lost by that
     */
    boolean step() {
        int failures = 0;
        for (int i = 0; i < PARTS_A_STEP && failures < FAILURES_A_STEP && !parts.isEmpty(); i++) {
            List<PendingRecord> part = parts.pollFirst();
            RuntimeException failure = tryToRecord(part, () -> parts.addFirst(part));
            if (failure == null) {
                left(part);
            } else {
                failures++;
                loop.failed(failure);
                fail(part, failure);
            }
        }
        tryWaiting();
        return !parts.isEmpty();
    }

    private void fail(List<PendingRecord> part, RuntimeException failure) {
        if (part.size() > 1) {
            List<List<PendingRecord>> halves = halves(part);
            parts.addFirst(halves.get(1));
            parts.addFirst(halves.get(0));
        } else {
            left(part);
            setAside(part.get(0), failure);
        }
    }

    private void left(List<PendingRecord> part) {
        part.forEach(pending -> tasks.computeIfPresent(task(pending), (task, count) -> count == 1 ? null : count - 1));
    }

    /** Returns the failure; null if the part is recorded. */
    private RuntimeException tryToRecord(List<PendingRecord> part, Runnable onOutage) {
        try {
            writer.record(part, true);
            onRecorded.accept(part);
            return null;
        } catch (DatabaseUnavailableException e) {
            if (e.isOutage()) {
                onOutage.run();
                throw e;
            }
            return e;
        } catch (RuntimeException e) {
            return e;
        }
    }

    private void setAside(PendingRecord pending, RuntimeException failure) {
        String slot = slot(pending).idempotencyKey();
        if (!pending.completion().endsAttempt() && !pending.returnsToPending()) {
            loop.setAside("the RUNNING state of " + slot, failure);
            writer.forget(List.of(pending));
            return;
        }
        // A later outcome of the slot proves that the wait of its earlier run was recorded, although the answer was
        // lost.
        waiting.removeIf(
                one -> one.pending.returnsToPending() && slot(one.pending).equals(slot(pending)));
        unrecordable.waits(slot(pending));
        if (mayBeRecordedLater(failure)) {
            loop.setAside("the outcome of " + slot + ", which is retried", failure);
            enqueue(new Waiting(pending, ticker.nanos()));
        } else {
            recordWithoutTexts(pending, failure);
        }
    }

    private void enqueue(Waiting one) {
        waiting.addLast(one);
        if (waiting.size() <= MOST_WITHOUT_RUNS) {
            endRun(one.pending);
        }
    }

    /**
     * Ends the run in memory, although its outcome is not in the ledger: its task, its limits and a hand-over need not
     * wait for it.
     */
    private void endRun(PendingRecord pending) {
        if (pending.run() != null) {
            registry.remove(pending.run());
        }
    }

    private static boolean mayBeRecordedLater(RuntimeException failure) {
        return failure instanceof DatabaseUnavailableException unavailable && unavailable.isTransient();
    }

    private void recordWithoutTexts(PendingRecord pending, RuntimeException failure) {
        endRun(pending);
        PendingRecord bare = pending.withoutTexts("its texts could not be recorded: " + failure.getMessage());
        // If the database becomes unavailable now, the outcome with its texts is tried again.
        RuntimeException again = bare == null
                ? failure
                : tryToRecord(List.of(bare), () -> enqueue(new Waiting(pending, ticker.nanos())));
        if (again == null) {
            loop.setAside("output, error and reason of " + slot(pending).idempotencyKey(), failure);
            writer.forgetWait(pending);
            unrecordable.remove(slot(pending));
        } else {
            giveUp(pending, again);
        }
    }

    private void giveUp(PendingRecord pending, RuntimeException failure) {
        loop.setAside("the outcome of " + slot(pending).idempotencyKey() + ", which is given up", failure);
        writer.forget(List.of(pending));
        unrecordable.isLost(
                slot(pending),
                "its outcome " + pending.completion().outcome() + " could not be recorded: " + failure.getMessage());
    }

    private void tryWaiting() {
        long now = ticker.nanos();
        if (isAllWanted) {
            isAllWanted = false;
            waiting.forEach(one -> one.dueNanos = now);
        }
        List<Waiting> due = waiting.stream()
                .filter(one -> one.dueNanos - now <= 0)
                .limit(TRIES_A_STEP)
                .toList();
        for (Waiting one : due) {
            RuntimeException failure = tryToRecord(List.of(one.pending), () -> {});
            waiting.remove(one);
            if (failure != null && mayBeRecordedLater(failure)) {
                one.postpone(ticker.nanos());
                enqueue(one);
                loop.failed(failure);
            } else {
                end(one.pending, failure);
            }
        }
    }

    private void end(PendingRecord pending, RuntimeException failure) {
        if (failure == null) {
            unrecordable.remove(slot(pending));
        } else {
            recordWithoutTexts(pending, failure);
        }
    }

    private static Slot slot(PendingRecord pending) {
        return pending.completion().slot();
    }

    private static long task(PendingRecord pending) {
        return slot(pending).taskId();
    }
}
