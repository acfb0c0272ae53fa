package io.twinbell.node.engine.run;

import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Queue of runs that wait for a worker, the most urgent first. It has no bound of its own, because claims are bounded.
 *
 * <p>Thousands of runs arrive at one instant, and the lock is held for less time than it takes to put a thread to
 * sleep. So the queue is a monitor: threads spin before they sleep, and a thread that takes a run wakes the next thread
 * if there are more.
 *
 * <p>From a burst a worker takes a batch of runs at once, because two processors that alternate spend half their time
 * waiting for each other's writes. Other workers may take the batch's runs once one of its runs takes long or a more
 * urgent run arrives. While runs of several apps wait, {@link AppRoundRobin} decides which goes next, and a worker
 * takes one at a time.
 */
public final class RunQueue {
    private static final int BATCH = 8;
    /** A worker takes a batch only if at least this many runs are left for the others. */
    private static final int MIN_LEFT_FOR_OTHERS = 128;
    /** A worker that took a batch longer ago than this is busy with one of its runs. */
    private static final long FRESH_NANOS = Duration.ofMillis(1).toNanos();

    /** One worker in this many is denied to each single app. */
    private static final int RESERVE = 8;
    /** With fewer workers none is denied. */
    private static final int FEW_WORKERS = 4;

    private final Ticker ticker;
    /** How many workers one app may occupy while there are runs of other apps. */
    private final int mostOfApp;

    private final int[] runningByApp = new int[AppHash.COUNT];
    private short latestApp = AppHash.UNKNOWN;
    private boolean areSeveralApps;
    private AppRoundRobin waiting = new AppRoundRobin();
    private AppRoundRobin prepared = new AppRoundRobin();
    private final Queue<RunBatch> batches = new ArrayDeque<>();
    /** How many times a run arrived that was more urgent than all waiting ones. */
    private volatile int overtakings;

    private int idle;

    public RunQueue(int workers, Ticker ticker) {
        this.ticker = ticker;
        mostOfApp = workers < FEW_WORKERS ? workers : workers - Math.max(1, workers / RESERVE);
    }

    /** Runs that one worker took together. */
    private static final class RunBatch {
        private final Run[] runs = new Run[BATCH - 1];
        private final AtomicInteger taken = new AtomicInteger();
        private final int overtakings;
        private final long tookNanos;

        RunBatch(AppRoundRobin from, int overtakings, long tookNanos) {
            for (int i = 0; i < runs.length; i++) {
                runs[i] = from.poll(app -> true);
            }
            this.overtakings = overtakings;
            this.tookNanos = tookNanos;
        }

        boolean isFresh(long nowNanos) {
            return nowNanos - tookNanos < FRESH_NANOS;
        }

        /** The next run; null if all are taken. Any thread. */
        Run next() {
            int place = taken.getAndIncrement();
            return place < runs.length ? runs[place] : null;
        }

        int left() {
            return Math.max(0, runs.length - taken.get());
        }
    }

    /** Takes runs for one worker; for that worker's thread alone. */
    public final class Taker {
        private RunBatch runBatch;
        /** The app that this worker counts for. */
        private short app = AppHash.UNKNOWN;

        /**
         * Takes the next run, and waits until there is one.
         *
         * @throws InterruptedException if the thread was interrupted; no run is taken then
         */
        public Run take() throws InterruptedException {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            Run next = isGood() ? runBatch.next() : null;
            return next == null ? takeOfAll(this) : next;
        }

        /** Ends the taking of runs, because the worker stops or its thread is abandoned. */
        public void leave() {
            left(this);
        }

        private boolean isGood() {
            return runBatch != null && runBatch.overtakings == overtakings && runBatch.isFresh(ticker.nanos());
        }
    }

    public Taker taker() {
        return new Taker();
    }

    public synchronized void addAll(List<Run> runs) {
        long head = waiting.headKey();
        add(runs, waiting);
        added(head);
    }

    /** Adds runs that may not be taken yet. */
    public synchronized void prepare(List<Run> runs) {
        add(runs, prepared);
    }

    /** Lets the prepared runs be taken from now on. */
    public synchronized void addPrepared() {
        long head = waiting.headKey();
        if (waiting.size() < prepared.size()) {
            AppRoundRobin fewer = waiting;
            waiting = prepared;
            prepared = fewer;
        }
        prepared.moveTo(waiting);
        added(head);
    }

    private void add(List<Run> runs, AppRoundRobin to) {
        for (Run run : runs) {
            if (run.wantsWorker()) {
                to.add(run);
                if (run.app() != latestApp) {
                    areSeveralApps = areSeveralApps || latestApp != AppHash.UNKNOWN;
                    latestApp = run.app();
                }
            }
        }
    }

    private boolean mayTake(short app) {
        return !areSeveralApps || runningByApp[AppHash.index(app)] < mostOfApp;
    }

    private void added(long headBefore) {
        if (waiting.headKey() < headBefore) {
            overtakings++;
        }
        wakeNext();
    }

    private synchronized Run takeOfAll(Taker taker) throws InterruptedException {
        if (batches.remove(taker.runBatch)) {
            giveBack(taker.runBatch);
        }
        taker.runBatch = null;
        leaveApp(taker);
        while (!isAnyReady()) {
            idle++;
            try {
                wait();
            } finally {
                idle--;
            }
        }
        Run run = waiting.poll(this::mayTake);
        taker.app = run.app();
        runningByApp[AppHash.index(taker.app)]++;
        if (waiting.size() >= MIN_LEFT_FOR_OTHERS && waiting.apps() == 1 && !areSeveralApps) {
            taker.runBatch = new RunBatch(waiting, overtakings, ticker.nanos());
            batches.add(taker.runBatch);
        }
        wakeNext();
        return run;
    }

    /**
     * Frees the worker's place among those of its app. The caller wakes another worker, which may sleep because the app
     * had no place left.
     */
    private void leaveApp(Taker taker) {
        if (taker.app != AppHash.UNKNOWN) {
            runningByApp[AppHash.index(taker.app)]--;
            taker.app = AppHash.UNKNOWN;
        }
    }

    private synchronized void left(Taker taker) {
        leaveApp(taker);
        wakeNext();
    }

    /** Runs of batches go back to the queue first, so that no worker sleeps while another has more than one run. */
    private boolean isAnyReady() {
        while (!batches.isEmpty() && (waiting.size() == 0 || !batches.peek().isFresh(ticker.nanos()))) {
            giveBack(batches.poll());
        }
        return waiting.isAnyAllowed(this::mayTake);
    }

    private void giveBack(RunBatch runBatch) {
        for (Run run = runBatch.next(); run != null; run = runBatch.next()) {
            waiting.add(run);
        }
    }

    /** Batches count too, because their worker may be busy with one run for long. */
    private void wakeNext() {
        if (idle > 0 && (!batches.isEmpty() || waiting.isAnyAllowed(this::mayTake))) {
            notify();
        }
    }

    /** Removes runs that were handed back meanwhile. */
    public synchronized void forgetHandedBack() {
        batches.forEach(this::giveBack);
        batches.clear();
        waiting.removeIf(run -> !run.wantsWorker());
        prepared.removeIf(run -> !run.wantsWorker());
        wakeNext();
    }

    public synchronized int size() {
        return waiting.size() + batches.stream().mapToInt(RunBatch::left).sum();
    }
}
