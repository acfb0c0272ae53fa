package io.twinbell.node.engine;

import io.twinbell.persistence.database.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs that wait for a worker, the most urgent first. It has no bound of its own: the claims have. Thousands come at one
 * instant, and each is held for less than it takes to put a thread to sleep; so this is a monitor, for which threads spin
 * before they do, and whoever takes a run wakes the next for what is left. Of such a crowd a worker takes a handful at
 * once, since two processors that take by turns spend half their time waiting for each other's writes. The handful is not
 * its own: once one run has kept it, or something more urgent has come, the others are everybody's again.
 */
final class RunQueue {
    private static final int HANDFUL = 8;
    /** As many must be left for the other workers. */
    private static final int CROWD = 128;
    /** Whoever took a handful so long ago is busy with one of its runs. */
    private static final long FRESH_NANOS = Duration.ofMillis(1).toNanos();

    private final Ticker ticker;
    private RunHeap waiting = new RunHeap();
    private RunHeap prepared = new RunHeap();
    private final Queue<Handful> handfuls = new ArrayDeque<>();
    /** How often something has come that is more urgent than all that was there. */
    private volatile int overtakings;

    private int idle;

    RunQueue(Ticker ticker) {
        this.ticker = ticker;
    }

    /** What one worker took together. */
    private static final class Handful {
        private final Run[] runs = new Run[HANDFUL - 1];
        private final AtomicInteger taken = new AtomicInteger();
        private final int overtakings;
        private final long tookNanos;

        Handful(RunHeap from, int overtakings, long tookNanos) {
            for (int i = 0; i < runs.length; i++) {
                runs[i] = from.poll();
            }
            this.overtakings = overtakings;
            this.tookNanos = tookNanos;
        }

        boolean isFresh(long nowNanos) {
            return nowNanos - tookNanos < FRESH_NANOS;
        }

        /** Null if all are taken. Any thread. */
        Run next() {
            int place = taken.getAndIncrement();
            return place < runs.length ? runs[place] : null;
        }

        int left() {
            return Math.max(0, runs.length - taken.get());
        }
    }

    /** How one worker comes by its runs; for its thread alone. */
    final class Taker {
        private Handful handful;

        /** Waits until there is one; a thread that was interrupted takes none. */
        Run take() throws InterruptedException {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            Run next = isGood() ? handful.next() : null;
            return next == null ? takeOfAll(this) : next;
        }

        private boolean isGood() {
            return handful != null && handful.overtakings == overtakings && handful.isFresh(ticker.nanos());
        }
    }

    Taker taker() {
        return new Taker();
    }

    synchronized void addAll(List<Run> runs) {
        long head = waiting.headKey();
        add(runs, waiting);
        added(head);
    }

    /** Not yet to be taken. */
    synchronized void prepare(List<Run> runs) {
        add(runs, prepared);
    }

    /** Has what was prepared taken from now on. */
    synchronized void addPrepared() {
        long head = waiting.headKey();
        if (waiting.size() < prepared.size()) {
            RunHeap fewer = waiting;
            waiting = prepared;
            prepared = fewer;
        }
        while (prepared.size() > 0) {
            waiting.add(prepared.headKey(), prepared.poll());
        }
        added(head);
    }

    private static void add(List<Run> runs, RunHeap to) {
        for (Run run : runs) {
            if (run.isWaiting()) {
                to.add(run.urgency(), run);
            }
        }
    }

    private void added(long headBefore) {
        if (waiting.headKey() < headBefore) {
            overtakings++;
        }
        wakeNext();
    }

    private synchronized Run takeOfAll(Taker taker) throws InterruptedException {
        if (handfuls.remove(taker.handful)) {
            giveBack(taker.handful);
        }
        taker.handful = null;
        while (!isAnyReady()) {
            idle++;
            try {
                wait();
            } finally {
                idle--;
            }
        }
        Run run = waiting.poll();
        if (waiting.size() >= CROWD) {
            taker.handful = new Handful(waiting, overtakings, ticker.nanos());
            handfuls.add(taker.handful);
        }
        wakeNext();
        return run;
    }

    /** Nobody sleeps while another has more than one. */
    private boolean isAnyReady() {
        while (!handfuls.isEmpty() && (waiting.size() == 0 || !handfuls.peek().isFresh(ticker.nanos()))) {
            giveBack(handfuls.poll());
        }
        return waiting.size() > 0;
    }

    private void giveBack(Handful handful) {
        for (Run run = handful.next(); run != null; run = handful.next()) {
            waiting.add(run.urgency(), run);
        }
    }

    /** Whoever wakes looks into the handfuls, too: a worker may be busy with one of its runs for long. */
    private void wakeNext() {
        if (idle > 0 && (waiting.size() > 0 || !handfuls.isEmpty())) {
            notify();
        }
    }

    /** Those that have been given back meanwhile. */
    synchronized void forgetHandedBack() {
        handfuls.forEach(this::giveBack);
        handfuls.clear();
        waiting.removeIf(run -> !run.isWaiting());
        prepared.removeIf(run -> !run.isWaiting());
        wakeNext();
    }

    synchronized int size() {
        return waiting.size() + handfuls.stream().mapToInt(Handful::left).sum();
    }
}
