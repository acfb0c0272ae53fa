package io.twinbell.node.engine.run;

import io.twinbell.persistence.database.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongBinaryOperator;

/**
 * How many runs may wait for a worker: as many as should start within a fifth of a second, by how long the latest runs
 * kept theirs. What is due and not claimed can still be overtaken by what is more urgent, and is no orphan of a crash.
 */
public final class Backpressure {
    private static final long SOON_NANOS = Duration.ofMillis(200).toNanos();
    /** With the usual number of workers, five thousand at the first instant of all are claimed ahead of it. */
    private static final long FIRST_GUESS_NANOS = TimeUnit.MICROSECONDS.toNanos(400);
    /** A run counts for so much of the mean: a pause that keeps every worker once says nothing of the next thousand. */
    private static final int WEIGHT = 512;
    /** A run counts for so much of the trend, in which handlers that have become slow show after a few runs a worker. */
    private static final int WEIGHT_IN_TREND = 16;
    /** A run is taken for so many times the trend at most, so that a pause of every worker is too short to show in it. */
    private static final int STRIDE = 4;
    /** Runs that are told of together, unless they took long: workers that end at once would wait for each other's words. */
    private static final int TOGETHER = 16;

    private static final long LONG_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    /** Lower, the trend could not rise again in whole numbers. */
    private static final long LEAST_NANOS = 1000;

    private final int workers;
    private final Ticker ticker;
    private final AtomicLong meanNanos = new AtomicLong(FIRST_GUESS_NANOS);
    private final AtomicLong trendNanos = new AtomicLong(FIRST_GUESS_NANOS);

    public Backpressure(int workers, Ticker ticker) {
        this.workers = workers;
        this.ticker = ticker;
    }

    /** The same for one worker, and it is measured how long its runs keep it. */
    public Consumer<Run> timing(Consumer<Run> perform) {
        return new Timed(perform);
    }

    private final class Timed implements Consumer<Run> {
        private final Consumer<Run> perform;
        private final long[] nanos = new long[TOGETHER];
        private int runs;
        private long total;

        Timed(Consumer<Run> perform) {
            this.perform = perform;
        }

        @Override
        public void accept(Run run) {
            long began = ticker.nanos();
            try {
                perform.accept(run);
            } finally {
                took(ticker.nanos() - began);
            }
        }

        private void took(long latest) {
            nanos[runs++] = latest;
            total += latest;
            if (runs == TOGETHER || total >= LONG_NANOS) {
                Backpressure.this.took(nanos, runs);
                runs = 0;
                total = 0;
            }
        }
    }

    /** A worker was busy with its latest runs for so long each. Any thread. */
    void took(long[] nanos, int runs) {
        meanNanos.updateAndGet(mean -> after(mean, nanos, runs, (before, run) -> before + (run - before) / WEIGHT));
        trendNanos.updateAndGet(trend -> after(trend, nanos, runs, Backpressure::follow));
    }

    private static long after(long before, long[] nanos, int runs, LongBinaryOperator next) {
        long after = before;
        for (int i = 0; i < runs; i++) {
            after = next.applyAsLong(after, nanos[i]);
        }
        return after;
    }

    private static long follow(long trend, long run) {
        return Math.max(LEAST_NANOS, trend + (Math.min(run, STRIDE * trend) - trend) / WEIGHT_IN_TREND);
    }

    /** How many runs each app should have ready even if another app's keep every worker busy. */
    int leastOfApp() {
        return Math.max(2, workers / 4);
    }

    /** How many more should be claimed while so many wait; each worker always has its next one ready. */
    int room(int waiting) {
        long soon = workers * SOON_NANOS / Math.max(meanNanos.get(), trendNanos.get());
        return (int) Math.min(Integer.MAX_VALUE, Math.max(0, Math.max(2L * workers, soon) - waiting));
    }
}
