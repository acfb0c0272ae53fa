package io.twinbell.node.loop;

import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches one loop that retries its work after an error. A series of failures ends with the first pass that does not
 * fail. The log reports when a series begins, once a minute while it lasts, and when it ends. Any thread may query it.
 */
public final class Loop {
    private static final Logger LOG = LoggerFactory.getLogger(Loop.class);
    private static final long REPEAT_NANOS = TimeUnit.MINUTES.toNanos(1);
    /**
     * The least time between the last log line of a series of failures and the first of the next. It keeps a loop that
     * alternates between failing and working from filling the log.
     */
    private static final long BETWEEN_SERIES_NANOS = TimeUnit.SECONDS.toNanos(10);
    /**
     * A pass that takes longer is taken to hang: every statement and wait inside a pass has a bound well below this.
     */
    private static final long LONG_PASS_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** The maximum number of log lines about single items: more would hide everything else in the log. */
    private static final int LINES_A_MINUTE = 50;

    private final String name;
    private final Ticker ticker;
    private final LongAdder setAside = new LongAdder();
    private boolean isUnderWay;
    private boolean hasFailedInPass;
    private long passNanos;
    private int failures;
    private long sinceNanos;
    private String lastError;
    private boolean isAnnounced;
    private boolean hasLogged;
    private long loggedNanos;
    private int linesThisMinute;
    private long minuteNanos;

    /**
     * The state of a loop at one instant.
     *
     * @param failures failures in a row, 0 while it makes progress
     * @param stalledNanos age of the first failure in this row, or of a pass that hangs; 0 while it makes progress
     * @param lastError the latest failure of this row; null while it makes progress
     */
    public record State(String name, int failures, long stalledNanos, String lastError) {}

    /** @param ticker monotonic, so that a jump of the wall clock changes no age */
    public Loop(String name, Ticker ticker) {
        this.name = name;
        this.ticker = ticker;
        minuteNanos = ticker.nanos();
    }

    public String name() {
        return name;
    }

    /** Begins a pass. {@link #end} must follow on the same thread. */
    public synchronized void begin() {
        isUnderWay = true;
        hasFailedInPass = false;
        passNanos = ticker.nanos();
    }

    /** Ends the pass. It made progress unless {@link #failed} was called since it began. */
    public synchronized void end() {
        isUnderWay = false;
        long took = ticker.nanos() - passNanos;
        if (took > LONG_PASS_NANOS) {
            LOG.warn("{}: one pass took {} s", name, TimeUnit.NANOSECONDS.toSeconds(took));
        }
        if (!hasFailedInPass && failures > 0) {
            endSeries("works again");
        }
    }

    /** Ends the series of failures because the loop has no work any more, for example after a change of role. */
    public synchronized void rest() {
        endSeries("has no more work");
    }

    private void endSeries(String why) {
        if (isAnnounced) {
            LOG.info("{} {}, after {} failures in {} s", name, why, failures, ageSeconds());
        }
        failures = 0;
        isAnnounced = false;
        lastError = null;
    }

    /** Runs a pass; an exception counts as a failure of this loop. Returns whether it did not fail. */
    public boolean run(Runnable pass) {
        begin();
        try {
            pass.run();
            return true;
        } catch (RuntimeException e) {
            failed(e);
            return false;
        } finally {
            end();
        }
    }

    /** Reports that the loop could not do its work and will retry. */
    public synchronized void failed(Throwable why) {
        String error = why instanceof DatabaseUnavailableException ? why.getMessage() : why.toString();
        count(error);
        if (mayLog()) {
            boolean isExpected = why instanceof DatabaseUnavailableException;
            log(error, isExpected ? null : why);
        } else {
            LOG.debug("{} failed again", name, why);
        }
    }

    /** Reports that the loop cannot do its work now, for a reason that is no exception, and will retry. */
    public synchronized void failed(String why) {
        count(why);
        if (mayLog()) {
            log(why, null);
        }
    }

    private void count(String error) {
        hasFailedInPass = true;
        if (failures == 0) {
            sinceNanos = ticker.nanos();
        }
        failures = failures == Integer.MAX_VALUE ? failures : failures + 1;
        lastError = error;
    }

    private boolean mayLog() {
        long interval = isAnnounced ? REPEAT_NANOS : BETWEEN_SERIES_NANOS;
        return !hasLogged || ticker.nanos() - loggedNanos >= interval;
    }

    private void log(String error, Throwable stack) {
        if (isAnnounced) {
            LOG.warn("{} has failed {} times in {} s and tries again: {}", name, failures, ageSeconds(), error, stack);
        } else {
            LOG.warn("{} failed and tries again: {}", name, error, stack);
        }
        isAnnounced = true;
        hasLogged = true;
        loggedNanos = ticker.nanos();
    }

    private long ageSeconds() {
        return TimeUnit.NANOSECONDS.toSeconds(ticker.nanos() - sinceNanos);
    }

    /**
     * Counts one item that keeps failing and was set aside so that it does not stop the others, and logs it as an
     * error.
     *
     * @param item names the item and says what happens to it
     */
    public void setAside(String item, Throwable why) {
        setAside.increment();
        if (takeLine()) {
            LOG.error("{} sets aside {}: {}", name, item, why.getMessage());
        }
        LOG.debug("{} sets aside {}", name, item, why);
    }

    private synchronized boolean takeLine() {
        long now = ticker.nanos();
        if (now - minuteNanos >= REPEAT_NANOS) {
            if (linesThisMinute > LINES_A_MINUTE) {
                LOG.error("{} set aside {} more items in one minute", name, linesThisMinute - LINES_A_MINUTE);
            }
            minuteNanos = now;
            linesThisMinute = 0;
        }
        return ++linesThisMinute <= LINES_A_MINUTE;
    }

    /** How many items were set aside since the process started. */
    public long itemsSetAside() {
        return setAside.sum();
    }

    /** The present state of the loop. */
    public synchronized State state() {
        long now = ticker.nanos();
        long hanging = isUnderWay && now - passNanos > LONG_PASS_NANOS ? now - passNanos : 0;
        long failing = failures > 0 ? Math.max(1, now - sinceNanos) : 0;
        return new State(name, failures, Math.max(hanging, failing), lastError);
    }
}
