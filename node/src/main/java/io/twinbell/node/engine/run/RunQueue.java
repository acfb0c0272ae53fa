package io.twinbell.node.engine.run;

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
 * its own: once one run has kept it, or something more urgent has come, the others are everybody's again. Where runs of several
 * apps wait, {@link AppTurns} says which goes next, and a worker takes one at a time.
 */
public final class RunQueue {
    private static final int HANDFUL = 8;
    /** As many must be left for the other workers. */
    private static final int CROWD = 128;
    /** Whoever took a handful so long ago is busy with one of its runs. */
    private static final long FRESH_NANOS = Duration.ofMillis(1).toNanos();

    /** One worker in so many is kept free of each single app. */
    private static final int RESERVE = 8;
    /** With fewer workers none is kept. */
    private static final int FEW_WORKERS = 4;

    private final Ticker ticker;
    /** How many workers one app may hold while runs of others are known. */
    private final int mostOfApp;

    private final int[] runningByApp = new int[AppGroup.COUNT];
    private short latestApp = AppGroup.UNKNOWN;
    private boolean areSeveralApps;
    private AppTurns waiting = new AppTurns();
    private AppTurns prepared = new AppTurns();
    private final Queue<Handful> handfuls = new ArrayDeque<>();
    /** How often something has come that is more urgent than all that was there. */
    private volatile int overtakings;

    private int idle;

    public RunQueue(int workers, Ticker ticker) {
        this.ticker = ticker;
        mostOfApp = workers < FEW_WORKERS ? workers : workers - Math.max(1, workers / RESERVE);
    }

    /** What one worker took together. */
    private static final class Handful {
        private final Run[] runs = new Run[HANDFUL - 1];
        private final AtomicInteger taken = new AtomicInteger();
        private final int overtakings;
        private final long tookNanos;

        Handful(AppTurns from, int overtakings, long tookNanos) {
            for (int i = 0; i < runs.length; i++) {
                runs[i] = from.poll(app -> true);
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
    public final class Taker {
        private Handful handful;
        /** The app whose worker this is counted as. */
        private short app = AppGroup.UNKNOWN;

        /** Waits until there is one; a thread that was interrupted takes none. */
        public Run take() throws InterruptedException {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            Run next = isGood() ? handful.next() : null;
            return next == null ? takeOfAll(this) : next;
        }

        /** The worker takes no more, or its thread is given up. */
        public void leave() {
            left(this);
        }

        private boolean isGood() {
            return handful != null && handful.overtakings == overtakings && handful.isFresh(ticker.nanos());
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

    /** Not yet to be taken. */
    public synchronized void prepare(List<Run> runs) {
        add(runs, prepared);
    }

    /** Has what was prepared taken from now on. */
    public synchronized void addPrepared() {
        long head = waiting.headKey();
        if (waiting.size() < prepared.size()) {
            AppTurns fewer = waiting;
            waiting = prepared;
            prepared = fewer;
        }
        prepared.moveTo(waiting);
        added(head);
    }

    private void add(List<Run> runs, AppTurns to) {
        for (Run run : runs) {
            if (run.isWaiting()) {
                to.add(run);
                if (run.app() != latestApp) {
                    areSeveralApps = areSeveralApps || latestApp != AppGroup.UNKNOWN;
                    latestApp = run.app();
                }
            }
        }
    }

    private boolean mayTake(short app) {
        return !areSeveralApps || runningByApp[AppGroup.index(app)] < mostOfApp;
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
        runningByApp[AppGroup.index(taker.app)]++;
        if (waiting.size() >= CROWD && waiting.apps() == 1 && !areSeveralApps) {
            taker.handful = new Handful(waiting, overtakings, ticker.nanos());
            handfuls.add(taker.handful);
        }
        wakeNext();
        return run;
    }

    /** A place that its app may have lacked is free: another worker may be asleep for it. */
    private void leaveApp(Taker taker) {
        if (taker.app != AppGroup.UNKNOWN) {
            runningByApp[AppGroup.index(taker.app)]--;
            taker.app = AppGroup.UNKNOWN;
        }
    }

    private synchronized void left(Taker taker) {
        leaveApp(taker);
        wakeNext();
    }

    /** Nobody sleeps while another has more than one. */
    private boolean isAnyReady() {
        while (!handfuls.isEmpty() && (waiting.size() == 0 || !handfuls.peek().isFresh(ticker.nanos()))) {
            giveBack(handfuls.poll());
        }
        return waiting.isAnyAllowed(this::mayTake);
    }

    private void giveBack(Handful handful) {
        for (Run run = handful.next(); run != null; run = handful.next()) {
            waiting.add(run);
        }
    }

    /** Whoever wakes looks into the handfuls, too: a worker may be busy with one of its runs for long. */
    private void wakeNext() {
        if (idle > 0 && (!handfuls.isEmpty() || waiting.isAnyAllowed(this::mayTake))) {
            notify();
        }
    }

    /** Those that have been given back meanwhile. */
    public synchronized void forgetHandedBack() {
        handfuls.forEach(this::giveBack);
        handfuls.clear();
        waiting.removeIf(run -> !run.isWaiting());
        prepared.removeIf(run -> !run.isWaiting());
        wakeNext();
    }

    public synchronized int size() {
        return waiting.size() + handfuls.stream().mapToInt(Handful::left).sum();
    }
}
