package io.twinbell.node.engine.trigger;

import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Decides how far ahead of its fire time a task is claimed, so that the start does not wait for the commit. After a
 * crash, claimed runs that had not begun are in doubt. So the lead is normally {@link #USUAL}. It is longer only before
 * a burst that takes longer to claim; how much longer follows from the duration of the latest claims.
 */
public final class LookAhead {
    public static final Duration USUAL = Duration.ofMillis(50);
    /** The longest lead, however large the burst. */
    public static final Duration LONGEST = Duration.ofMillis(500);

    /**
     * Tasks due this soon after a claimed task are claimed with it, in one statement. The value is short because, on
     * few processors, a start may have to wait for that statement.
     */
    private static final Duration BATCH_WINDOW = Duration.ofMillis(8);

    private static final long STRETCH_NANOS = TimeUnit.MILLISECONDS.toNanos(25);
    private static final long BETWEEN_LOOKS_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /**
     * The interval of counts of the tasks ahead. It is short enough to notice a burst that comes within the longest
     * lead.
     */
    private static final long NEXT_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /**
     * The lowest assumed cost of a claim, although most are cheaper: the claim of a task that has not fired yet has its
     * definition read.
     */
    private static final long LEAST_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    /** The first claims of a new process take twice as long. */
    private static final long FIRST_GUESS_NANOS = 2 * LEAST_NANOS;
    /**
     * The highest assumed cost of a claim: a claim that took longer was delayed by something else, and does not predict
     * the next.
     */
    private static final long MOST_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    /** With fewer claims, the cost of the statement dominates and does not show the cost per claim. */
    private static final int TELLING = 100;
    /** A batch contributes one part in this many to the mean. */
    private static final int WEIGHT = 8;

    private final int[] dueByStretch = new int[(int) (LONGEST.toNanos() / STRETCH_NANOS)];
    private final Ticker ticker;
    private final IntSupplier room;
    private volatile long claimedNanos;
    private volatile long nanosPerClaim = FIRST_GUESS_NANOS;
    private long lookedNanos;
    private boolean hasLooked;
    /**
     * From the last count: tasks due before {@code burstNanos} must be claimed by now; at {@code nextBurstNanos} more
     * tasks must be.
     */
    private long burstNanos = Long.MIN_VALUE;

    private long nextBurstNanos = Long.MAX_VALUE;

    /**
     * @param room how many more runs may be claimed; a quarter is reserved for tasks that come due sooner than expected
     */
    public LookAhead(Ticker ticker, IntSupplier room) {
        this.ticker = ticker;
        this.room = room;
        claimedNanos = ticker.nanos();
    }

    /** Returns the start time of claims, to pass to {@link #claimed}. The claimer's thread only. */
    public long begin() {
        return ticker.nanos();
    }

    /** Learns from a batch of claims that began at the given time. */
    public void claimed(int slots, long beganNanos) {
        claimedNanos = ticker.nanos();
        if (slots >= TELLING) {
            long latest = Math.min(MOST_NANOS, (claimedNanos - beganNanos) / slots);
            nanosPerClaim = Math.max(LEAST_NANOS, nanosPerClaim + (latest - nanosPerClaim) / WEIGHT);
        }
    }

    /** Notes that slots were claimed outside the planned batches. */
    public void progressed() {
        claimedNanos = ticker.nanos();
    }

    /** When claims last succeeded, by the monotonic clock. Any thread. */
    public long claimedNanos() {
        return claimedNanos;
    }

    /**
     * Up to which fire time tasks are to be claimed now, in milliseconds. The trigger's thread only, like the methods
     * below.
     *
     * @param headMillis the earliest fire time of a user task in the heap
     * @param sent how many tasks wait to be claimed already
     */
    long untilMillis(long nowNanos, TaskHeap heap, long headMillis, int sent) {
        long usual = Math.floorDiv(nowNanos, 1_000_000L) + USUAL.toMillis();
        if (nowNanos < lookedNanos) {
            // The clock was set back: the burst found before may be hours ahead now.
            lookedNanos = 0;
            burstNanos = Long.MIN_VALUE;
        }
        hasLooked = isLookDue(nowNanos) && nanos(headMillis) - nowNanos < LONGEST.toNanos();
        if (hasLooked) {
            claimAhead(nowNanos, heap, sent);
        }
        long burst = Math.floorDiv(burstNanos, 1_000_000L);
        return Math.max(headMillis <= usual ? usual + BATCH_WINDOW.toMillis() : usual, burst);
    }

    /** The time at which there may be more to claim if nothing is added to the heap, whose head is given. */
    long wakeNanos(long nowNanos, long headMillis) {
        long head = nanos(headMillis);
        long inSight = head - LONGEST.toNanos() + STRETCH_NANOS;
        long look = hasLooked
                ? Math.min(nextBurstNanos, Math.max(inSight, nowNanos + NEXT_LOOK_NANOS))
                : Math.max(inSight, lookedNanos + BETWEEN_LOOKS_NANOS);
        return Math.min(head - USUAL.toNanos(), look);
    }

    private boolean isLookDue(long nowNanos) {
        return nowNanos - lookedNanos >= BETWEEN_LOOKS_NANOS;
    }

    /**
     * Finds how many tasks to claim early, stretch by stretch: claims that end one stretch before their fire time are
     * in time.
     */
    private void claimAhead(long nowNanos, TaskHeap heap, int sent) {
        lookedNanos = nowNanos;
        burstNanos = Long.MIN_VALUE;
        nextBurstNanos = Long.MAX_VALUE;
        long most = room.getAsInt() * 3L / 4;
        long due = sent;
        if (due > most) {
            // No task would be claimed early, and counting the rest of a long queue takes time.
            return;
        }
        long cost = nanosPerClaim;
        Arrays.fill(dueByStretch, 0);
        int limit = (int) (LONGEST.toNanos() / cost);
        heap.countDue(Math.floorDiv(nowNanos, 1_000_000L), (int) (STRETCH_NANOS / 1_000_000), dueByStretch, limit);
        for (int stretch = 0; stretch < dueByStretch.length && due + dueByStretch[stretch] <= most; stretch++) {
            due += dueByStretch[stretch];
            long begin = nowNanos + stretch * STRETCH_NANOS;
            long latest = begin - STRETCH_NANOS - due * cost;
            if (latest <= nowNanos) {
                burstNanos = begin + STRETCH_NANOS;
            } else if (dueByStretch[stretch] > 0) {
                nextBurstNanos = Math.min(nextBurstNanos, latest);
            }
        }
    }

    static long nanos(long millis) {
        return millis > Long.MAX_VALUE / 1_000_000 ? Long.MAX_VALUE : millis * 1_000_000;
    }
}
