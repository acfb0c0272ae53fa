package io.twinbell.node.engine.step;

import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Decides how long a proof of authority counts: one second. A guarded statement proves that its epoch was current at
 * some time after the statement began. So trust counts from that beginning, and a slow answer cannot extend it. A
 * process that was frozen finds its trust expired when it resumes.
 *
 * <p>The monotonic clock stands still while the machine sleeps. The wall clock advances during sleep, but may be set
 * back by the same amount; {@link Ticker#UPTIME} cannot be. Reading the uptime is expensive, and thousands of runs may
 * start at one instant. So, while the wall clock has not jumped, the uptime is read only once per millisecond.
 */
public final class TrustWindow {
    /**
     * How long a proof counts. A successor settles what this node claimed only when this has passed since it opened its
     * epoch.
     */
    public static final Duration WINDOW = Duration.ofSeconds(1);

    /** If wall and monotonic clock differ by more than this, the machine slept or one of the clocks is wrong. */
    private static final long JUMP_NANOS = Duration.ofMillis(500).toNanos();

    /** Apparent difference when nothing happened: the wall clock is read in milliseconds. */
    private static final long STEADY_NANOS = Duration.ofMillis(2).toNanos();

    /** Apparent difference of the uptime, which is read in steps of 10 ms. */
    private static final long NAP_NANOS = Duration.ofMillis(50).toNanos();

    private static final long LOOK_AGAIN_NANOS = Duration.ofMillis(1).toNanos();

    private final Ticker ticker;
    private final Ticker uptime;
    private final InstantSource wall;
    private final AtomicReference<Proof> latest = new AtomicReference<>();
    private volatile UptimeCheck uptimeCheck;

    /** The proof that a statement gives: taken before it is sent, valid once it was answered. */
    public record Proof(Epoch epoch, long beganNanos, long wallAheadNanos, long sleptNanos) {}

    /** When the uptime last agreed with a proof. */
    private record UptimeCheck(Proof proof, long nanos) {}

    /** @param uptime a clock that advances while the machine sleeps, or {@code ticker} again if there is none */
    public TrustWindow(Ticker ticker, Ticker uptime, InstantSource wall) {
        this.ticker = ticker;
        this.uptime = uptime;
        this.wall = wall;
    }

    /** Takes a proof. Call it before a guarded statement is sent. */
    public Proof before(Epoch epoch) {
        long now = ticker.nanos();
        return new Proof(epoch, now, wallAhead(now), slept(now));
    }

    /** Accepts the proof, because the guarded statement was answered and the epoch was current. */
    public void proven(Proof proof) {
        latest.accumulateAndGet(
                proof,
                (old, fresh) ->
                        old == null || !old.epoch().equals(fresh.epoch()) || fresh.beganNanos() - old.beganNanos() > 0
                                ? fresh
                                : old);
    }

    public boolean holds(Epoch epoch) {
        Proof proof = latest.get();
        if (proof == null || !proof.epoch().equals(epoch)) {
            return false;
        }
        long now = ticker.nanos();
        return now - proof.beganNanos() < WINDOW.toNanos() && hasNotSleptSince(proof, now);
    }

    private boolean hasNotSleptSince(Proof proof, long now) {
        long jump = Math.abs(wallAhead(now) - proof.wallAheadNanos());
        return jump <= STEADY_NANOS && isJustChecked(proof, now) || jump <= JUMP_NANOS && lookedAwake(proof, now);
    }

    private boolean isJustChecked(Proof proof, long now) {
        UptimeCheck last = uptimeCheck;
        return last != null && last.proof() == proof && now - last.nanos() < LOOK_AGAIN_NANOS;
    }

    private boolean lookedAwake(Proof proof, long now) {
        boolean isAwake = Math.abs(slept(now) - proof.sleptNanos()) <= NAP_NANOS;
        if (isAwake) {
            uptimeCheck = new UptimeCheck(proof, now);
        }
        return isAwake;
    }

    private long wallAhead(long now) {
        return wall.millis() * 1_000_000 - now;
    }

    private long slept(long now) {
        return uptime.nanos() - now;
    }
}
