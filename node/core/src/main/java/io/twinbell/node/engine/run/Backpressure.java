package io.twinbell.node.engine.run;

import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongBinaryOperator;

/**
 * Limits how many claimed runs may wait for a worker: as many as should start within 200 ms, estimated from how long
 * the latest runs occupied their workers. A due slot that is not claimed can still be overtaken by a more urgent one,
 * and does not become an orphan after a crash.
 */
public final class Backpressure {
    private static final long LONGEST_WAIT_NANOS = Duration.ofMillis(200).toNanos();
    /**
     * With the default number of workers, this lets the very first burst, of up to five thousand runs, be claimed ahead
     * of its fire time.
     */
    private static final long FIRST_GUESS_NANOS = TimeUnit.MICROSECONDS.toNanos(400);
    /**
     * A run contributes one part in this many to the mean. The weight is small, because a single pause of every worker
     * does not predict the next thousand runs.
     */
    private static final int WEIGHT = 512;
    /**
     * A run contributes one part in this many to the trend, which shows within a few runs per worker that handlers
     * became slow.
     */
    private static final int WEIGHT_IN_TREND = 16;
    /** A run counts for at most this many times the trend, so that a single pause of every worker hardly changes it. */
    private static final int MAX_GROWTH = 4;
    /** Short runs are reported in groups of this size, because workers that end at once would contend for the mean. */
    private static final int GROUP_SIZE = 16;

    private static final long LONG_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    /** The lower bound of the trend: a smaller one could not grow again in whole numbers. */
    private static final long LEAST_NANOS = 1000;

    private final int workers;
    private final Ticker ticker;
    private final AtomicLong meanNanos = new AtomicLong(FIRST_GUESS_NANOS);
    private final AtomicLong trendNanos = new AtomicLong(FIRST_GUESS_NANOS);

    public Backpressure(int workers, Ticker ticker) {
        this.workers = workers;
        this.ticker = ticker;
    }

    /** Wraps the function that performs the runs of one worker, to measure how long they occupy the worker. */
    public Consumer<Run> timing(Consumer<Run> perform) {
        return new Timed(perform);
    }

    private final class Timed implements Consumer<Run> {
        private final Consumer<Run> perform;
        private final long[] nanos = new long[GROUP_SIZE];
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
            if (runs == GROUP_SIZE || total >= LONG_NANOS) {
                Backpressure.this.took(nanos, runs);
                runs = 0;
                total = 0;
            }
        }
    }

    /** Adds how long a worker's latest runs occupied it. Any thread. */
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
        return Math.max(LEAST_NANOS, trend + (Math.min(run, MAX_GROWTH * trend) - trend) / WEIGHT_IN_TREND);
    }

    /** How many runs each app should have ready even if another app's runs keep every worker busy. */
    int minPerApp() {
        return Math.max(2, workers / 4);
    }

    /** How many more runs should be claimed while this many wait; each worker always has its next run ready. */
    int room(int waiting) {
        long soon = workers * LONGEST_WAIT_NANOS / Math.max(meanNanos.get(), trendNanos.get());
        return (int) Math.min(Integer.MAX_VALUE, Math.max(0, Math.max(2L * workers, soon) - waiting));
    }
}
