package io.twinbell.persistence.clock;

import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database's clock, extrapolated between measurements by the monotonic clock, so that a jump of this machine's wall
 * clock has no effect. Before the first measurement it is the machine's own clock.
 *
 * <p>An answer with time t that was received at monotonic time r proves that the database's clock showed at least t at
 * r. The clock uses the greatest such lower bound of its latest measurements. So it may be late by less than the
 * fastest of their round trips, but is never ahead, and nothing starts before its time.
 */
public final class MeasuredClock implements DatabaseClock {
    private static final Logger LOG = LoggerFactory.getLogger(MeasuredClock.class);

    /** A difference above this is a jump and not network delay: it is adopted at once. */
    public static final long JUMP_MILLIS = 500;

    private static final int KEPT = 42;
    /** 500 ppm, the highest rate at which clock discipline slews a clock. */
    private static final long DRIFT_DIVISOR = 2000;

    private final Ticker ticker;
    private final InstantSource wall;
    private final long[] bounds = new long[KEPT];
    private final long[] boundsAtNanos = new long[KEPT];
    private int measured;
    private long latestMicros;
    private volatile OffsetClock offsetClock;

    /**
     * The offset from which the time is computed.
     *
     * @param latestNanos the latest time that was returned. A later measurement may have a lower bound, but a
     *     handler must not seem to start before its fire time. A jump begins with a new object, so a thread that still
     *     uses the old offset does not affect it
     */
    private record OffsetClock(long offsetNanos, AtomicLong latestNanos) {
        static OffsetClock from(long offsetNanos) {
            return new OffsetClock(offsetNanos, new AtomicLong(Long.MIN_VALUE));
        }
    }

    public MeasuredClock(Ticker ticker, InstantSource wall) {
        this.ticker = ticker;
        this.wall = wall;
        offsetClock = OffsetClock.from(wall.millis() * 1_000_000 - ticker.nanos());
    }

    @Override
    public long nowMillis() {
        return Math.floorDiv(nowNanos(), 1_000_000L);
    }

    @Override
    public long nowMicros() {
        return Math.floorDiv(nowNanos(), 1000L);
    }

    /** Nanoseconds since 1970 UTC. Never goes back, except when the database's clock has jumped. */
    public long nowNanos() {
        OffsetClock current = offsetClock;
        return current.latestNanos().accumulateAndGet(ticker.nanos() + current.offsetNanos(), Math::max);
    }

    /**
     * Records an answer of the database.
     *
     * @param databaseMicros the database's time, in microseconds since 1970 UTC
     * @param receivedNanos the ticker when the answer arrived
     * @return by how many milliseconds the database's clock jumped relative to the monotonic clock; 0 if it did not
     */
    public long measured(long databaseMicros, long receivedNanos) {
        return measured(databaseMicros, receivedNanos, receivedNanos);
    }

    /**
     * Records that the database's clock has just shown this time: if this machine slept after the last measurement, its
     * clock may be late. A time that is not later than an earlier one is ignored, because measurements since then are
     * more precise.
     */
    public synchronized void atLeast(long databaseMicros) {
        long nowNanos = ticker.nanos();
        boolean isBehind = databaseMicros * 1000 > nowNanos + offsetClock.offsetNanos();
        if (isBehind && databaseMicros > latestMicros) {
            long jump = measured(databaseMicros, nowNanos);
            if (jump != 0) {
                LOG.warn("this machine has slept: the known time of the database was {} ms behind", jump);
            }
        }
        latestMicros = Math.max(databaseMicros, latestMicros);
    }

    /**
     * Like {@link #measured(long, long)}, for an answer that may have been delayed.
     *
     * @param askedNanos the ticker when the question was sent, so that a late answer is not mistaken for a clock
     *     that was set back
     */
    public synchronized long measured(long databaseMicros, long askedNanos, long receivedNanos) {
        long bound = databaseMicros * 1000 - receivedNanos;
        long upperBound = databaseMicros * 1000 - askedNanos;
        long nearest = Math.max(bound, Math.min(upperBound, offsetClock.offsetNanos()));
        long jump = measured == 0 ? 0 : (nearest - offsetClock.offsetNanos()) / 1_000_000;
        boolean isJump = Math.abs(jump) > JUMP_MILLIS;
        boolean isFirst = measured == 0;
        if (isJump) {
            measured = 0;
        }
        bounds[measured % KEPT] = bound;
        boundsAtNanos[measured % KEPT] = receivedNanos;
        measured++;
        long offset = upperBound(receivedNanos);
        offsetClock = isJump || isFirst ? OffsetClock.from(offset) : new OffsetClock(offset, offsetClock.latestNanos());
        return isJump ? jump : 0;
    }

    private long upperBound(long nowNanos) {
        long greatest = Long.MIN_VALUE;
        for (int i = 0; i < Math.min(measured, KEPT); i++) {
            greatest = Math.max(greatest, bounds[i] - (nowNanos - boundsAtNanos[i]) / DRIFT_DIVISOR);
        }
        return greatest;
    }

    /** The difference between the database's clock and this machine's wall clock; positive if the database is ahead. */
    public long aheadOfWallMillis() {
        return nowMillis() - wall.millis();
    }
}
