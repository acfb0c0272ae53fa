package io.twinbell.node.engine.trigger;

import io.twinbell.persistence.database.Ticker;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * How far ahead of its instant a task is claimed, so that the commit is not in its way. On a crash what is claimed and
 * not begun is in doubt; so it is {@link #USUAL} as a rule, and more only before an instant at which so many are due that
 * claiming them takes longer, by how long the latest claims took.
 */
public final class LookAhead {
    public static final Duration USUAL = Duration.ofMillis(50);
    /** However many there are. */
    public static final Duration MOST = Duration.ofMillis(500);

    /**
     * What comes due so soon after a task that is claimed is claimed with it: one statement for all of them. No longer, since
     * on few processors a start may have to wait for the statement that one of them is at.
     */
    private static final Duration TOGETHER = Duration.ofMillis(8);

    private static final long STRETCH_NANOS = TimeUnit.MILLISECONDS.toNanos(25);
    private static final long BETWEEN_LOOKS_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** What comes into sight at the far end is seen soon enough so. */
    private static final long NEXT_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** No claim is taken for cheaper, though most are: that of a task which has not fired yet has its definition read. */
    private static final long LEAST_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    /** The first ones, in a young process, take twice as long. */
    private static final long FIRST_GUESS_NANOS = 2 * LEAST_NANOS;
    /** Nor for dearer: what took longer was held up, and says nothing of the next. */
    private static final long MOST_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    /** Fewer take as long as their statement does, and say nothing of what one more costs. */
    private static final int TELLING = 100;
    /** A batch counts for so much of the mean. */
    private static final int WEIGHT = 8;

    private final int[] dueByStretch = new int[(int) (MOST.toNanos() / STRETCH_NANOS)];
    private final Ticker ticker;
    private final IntSupplier room;
    private volatile long claimedNanos;
    private volatile long nanosPerClaim = FIRST_GUESS_NANOS;
    private long lookedNanos;
    private boolean hasLooked;
    /** As of the last look: what is due before this must be claimed by now, and when that will be so of more. */
    private long crowdNanos = Long.MIN_VALUE;

    private long nextCrowdNanos = Long.MAX_VALUE;

    /** @param room how many more may be claimed: a part of it is kept for what comes due sooner than expected */
    public LookAhead(Ticker ticker, IntSupplier room) {
        this.ticker = ticker;
        this.room = room;
        claimedNanos = ticker.nanos();
    }

    /** Claims begin; what this returns is for {@link #claimed}. The claimer's thread only. */
    public long begin() {
        return ticker.nanos();
    }

    /** So many slots were claimed since then. */
    public void claimed(int slots, long beganNanos) {
        claimedNanos = ticker.nanos();
        if (slots >= TELLING) {
            long latest = Math.min(MOST_NANOS, (claimedNanos - beganNanos) / slots);
            nanosPerClaim = Math.max(LEAST_NANOS, nanosPerClaim + (latest - nanosPerClaim) / WEIGHT);
        }
    }

    /** Some were claimed that were not planned. */
    public void progressed() {
        claimedNanos = ticker.nanos();
    }

    /** When claims last succeeded, by the monotonic clock. Any thread. */
    public long claimedNanos() {
        return claimedNanos;
    }

    /**
     * Until which fire time tasks are to be claimed now, in milliseconds. The trigger's thread only, as what follows.
     *
     * @param headMillis the soonest fire time of a user task in the heap
     * @param sent how many wait to be claimed already
     */
    long untilMillis(long nowNanos, TaskHeap heap, long headMillis, int sent) {
        long usual = Math.floorDiv(nowNanos, 1_000_000L) + USUAL.toMillis();
        if (nowNanos < lookedNanos) {
            // The clock was set back: what was found may be hours ahead now.
            lookedNanos = 0;
            crowdNanos = Long.MIN_VALUE;
        }
        hasLooked = isLookDue(nowNanos) && nanos(headMillis) - nowNanos < MOST.toNanos();
        if (hasLooked) {
            look(nowNanos, heap, sent);
        }
        long crowd = Math.floorDiv(crowdNanos, 1_000_000L);
        return Math.max(headMillis <= usual ? usual + TOGETHER.toMillis() : usual, crowd);
    }

    /** When there may be more to claim than now, if nothing is added to the heap, whose head is given. */
    long wakeNanos(long nowNanos, long headMillis) {
        long head = nanos(headMillis);
        long inSight = head - MOST.toNanos() + STRETCH_NANOS;
        long look = hasLooked
                ? Math.min(nextCrowdNanos, Math.max(inSight, nowNanos + NEXT_LOOK_NANOS))
                : Math.max(inSight, lookedNanos + BETWEEN_LOOKS_NANOS);
        return Math.min(head - USUAL.toNanos(), look);
    }

    private boolean isLookDue(long nowNanos) {
        return nowNanos - lookedNanos >= BETWEEN_LOOKS_NANOS;
    }

    /** Claims that end a stretch before their instant are in time. */
    private void look(long nowNanos, TaskHeap heap, int sent) {
        lookedNanos = nowNanos;
        crowdNanos = Long.MIN_VALUE;
        nextCrowdNanos = Long.MAX_VALUE;
        long most = room.getAsInt() * 3L / 4;
        long due = sent;
        if (due > most) {
            // Nothing would be claimed early; and where so much waits already, counting the rest takes its time too.
            return;
        }
        long cost = nanosPerClaim;
        Arrays.fill(dueByStretch, 0);
        int limit = (int) (MOST.toNanos() / cost);
        heap.countDue(Math.floorDiv(nowNanos, 1_000_000L), (int) (STRETCH_NANOS / 1_000_000), dueByStretch, limit);
        for (int stretch = 0; stretch < dueByStretch.length && due + dueByStretch[stretch] <= most; stretch++) {
            due += dueByStretch[stretch];
            long begin = nowNanos + stretch * STRETCH_NANOS;
            long latest = begin - STRETCH_NANOS - due * cost;
            if (latest <= nowNanos) {
                crowdNanos = begin + STRETCH_NANOS;
            } else if (dueByStretch[stretch] > 0) {
                nextCrowdNanos = Math.min(nextCrowdNanos, latest);
            }
        }
    }

    private static long nanos(long millis) {
        return millis > Long.MAX_VALUE / 1_000_000 ? Long.MAX_VALUE : millis * 1_000_000;
    }
}
