package io.twinbell.persistence.database;

import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database's clock, carried on between measurements by the monotonic one, so that a jump of this machine's wall
 * clock changes nothing. Until the first measurement it is the machine's own clock.
 *
 * <p>An answer that was received at monotonic time r and says t proves that the database's clock then showed at least t.
 * The clock keeps the greatest such lower bound of its latest measurements: it may run behind by less than the fastest
 * of their round trips, and never ahead, so nothing starts before its time.
 */
public final class MeasuredClock implements DatabaseClock {
    private static final Logger LOG = LoggerFactory.getLogger(MeasuredClock.class);

    /** A difference above this is a jump and not the network: it is adopted at once. */
    public static final long JUMP_MILLIS = 500;

    private static final int KEPT = 42;
    /** 500 ppm, the most that clock discipline slews a clock by. */
    private static final long DRIFT_DIVISOR = 2000;

    private final Ticker ticker;
    private final InstantSource wall;
    private final long[] bounds = new long[KEPT];
    private final long[] boundsAtNanos = new long[KEPT];
    private int measured;
    private long toldMicros;
    private volatile Reckoning reckoning;

    /**
     * What the time is reckoned from.
     *
     * @param latestNanos the latest time that was told: a later measurement may have a lower bound, and a handler must not
     *     seem to start before it was let. A jump begins with a new one, so that whoever still reckons by the old offset
     *     cannot spoil it.
     */
    private record Reckoning(long offsetNanos, AtomicLong latestNanos) {
        static Reckoning from(long offsetNanos) {
            return new Reckoning(offsetNanos, new AtomicLong(Long.MIN_VALUE));
        }
    }

    public MeasuredClock(Ticker ticker, InstantSource wall) {
        this.ticker = ticker;
        this.wall = wall;
        reckoning = Reckoning.from(wall.millis() * 1_000_000 - ticker.nanos());
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
        Reckoning current = reckoning;
        return current.latestNanos().accumulateAndGet(ticker.nanos() + current.offsetNanos(), Math::max);
    }

    /**
     * Takes in an answer of the database.
     *
     * @param databaseMicros what it said, microseconds since 1970 UTC
     * @param receivedNanos the ticker when the answer had come
     * @return by how many milliseconds the database's clock jumped against the monotonic one; 0 if it did not
     */
    public long measured(long databaseMicros, long receivedNanos) {
        return measured(databaseMicros, receivedNanos, receivedNanos);
    }

    /**
     * Takes in that the database's clock has just shown this: one that has slept since it was measured may be behind. What
     * was told before is no news, and measurements since then know better.
     */
    public synchronized void atLeast(long databaseMicros) {
        long nowNanos = ticker.nanos();
        boolean isBehind = databaseMicros * 1000 > nowNanos + reckoning.offsetNanos();
        if (isBehind && databaseMicros > toldMicros) {
            long jump = measured(databaseMicros, nowNanos);
            if (jump != 0) {
                LOG.warn("the database's clock, as it was known here, was {} ms behind: this machine has slept", jump);
            }
        }
        toldMicros = Math.max(databaseMicros, toldMicros);
    }

    /**
     * The same as {@link #measured(long, long)}, for an answer that may have been long in coming.
     *
     * @param askedNanos the ticker when the question was sent: a late answer is no clock that was set back
     */
    public synchronized long measured(long databaseMicros, long askedNanos, long receivedNanos) {
        long bound = databaseMicros * 1000 - receivedNanos;
        long upperBound = databaseMicros * 1000 - askedNanos;
        long nearest = Math.max(bound, Math.min(upperBound, reckoning.offsetNanos()));
        long jump = measured == 0 ? 0 : (nearest - reckoning.offsetNanos()) / 1_000_000;
        boolean isJump = Math.abs(jump) > JUMP_MILLIS;
        boolean isFirst = measured == 0;
        if (isJump) {
            measured = 0;
        }
        bounds[measured % KEPT] = bound;
        boundsAtNanos[measured % KEPT] = receivedNanos;
        measured++;
        long offset = greatestBound(receivedNanos);
        reckoning = isJump || isFirst ? Reckoning.from(offset) : new Reckoning(offset, reckoning.latestNanos());
        return isJump ? jump : 0;
    }

    private long greatestBound(long nowNanos) {
        long greatest = Long.MIN_VALUE;
        for (int i = 0; i < Math.min(measured, KEPT); i++) {
            greatest = Math.max(greatest, bounds[i] - (nowNanos - boundsAtNanos[i]) / DRIFT_DIVISOR);
        }
        return greatest;
    }

    /** How far the database's clock is ahead of this machine's wall clock. */
    public long aheadOfWallMillis() {
        return nowMillis() - wall.millis();
    }
}
