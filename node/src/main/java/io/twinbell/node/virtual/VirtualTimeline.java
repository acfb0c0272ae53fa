package io.twinbell.node.virtual;

import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;

/**
 * Virtual time. It passes only in {@link #advance}, on the caller's thread, from event to event: loops are stepped and
 * timers run in a fixed order, so a test has the same result each time.
 *
 * <p>A loop that sleeps for its longest time, a second, has nothing to do: it wakes only in case it missed an event.
 * While all loops do that, time passes in one step to the next event that the tables know of.
 */
public final class VirtualTimeline {
    /** How long before an event the loops are stepped again, because slots are claimed ahead of their fire times. */
    private static final long AHEAD_NANOS = Duration.ofSeconds(1).toNanos();

    private static final int MOST_STEPS_AT_AN_INSTANT = 5_000_000;

    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timer::atNanos).thenComparingLong(Timer::number));
    private final List<VirtualLoop> loops = new ArrayList<>();
    private final LongSupplier nextEventMillis;
    private volatile long nowNanos;
    private long timerNumber;
    private volatile boolean isAdvancing;

    private record Timer(long atNanos, long number, Runnable action) {}

    /**
     * @param start when it begins
     * @param nextEventMillis returns the next instant, in milliseconds since 1970 UTC, at which an idle loop has to look;
     *     a past instant if loops must look every second
     */
    public VirtualTimeline(Instant start, LongSupplier nextEventMillis) {
        this.nextEventMillis = nextEventMillis;
        nowNanos = start.toEpochMilli() * 1_000_000;
    }

    public Instant now() {
        return Instant.ofEpochMilli(nowNanos / 1_000_000);
    }

    long nowMicros() {
        return nowNanos / 1000;
    }

    Ticker ticker() {
        return () -> nowNanos;
    }

    InstantSource wall() {
        return this::now;
    }

    /** Adds a loop, which is stepped from its start until it is closed. */
    void add(VirtualLoop loop) {
        loops.add(loop);
    }

    void forget(VirtualLoop loop) {
        loops.remove(loop);
    }

    /** Runs the action once, after the delay. */
    void after(Duration delay, Runnable action) {
        timers.add(new Timer(nowNanos + Math.max(0, delay.toNanos()), timerNumber++, action));
    }

    /** Sets the time, also back, and forgets all timers. No loop runs. */
    void moveTo(Instant instant) {
        timers.clear();
        nowNanos = instant.toEpochMilli() * 1_000_000;
    }

    /** Whether a test is advancing now, so that its handlers may not. */
    boolean isAdvancing() {
        return isAdvancing;
    }

    /** Lets time pass, and everything happen that is due by then. */
    void advance(Duration duration) {
        if (isAdvancing) {
            throw new IllegalStateException("time passes already: a handler must not advance the clock");
        }
        isAdvancing = true;
        try {
            long target = Math.addExact(nowNanos, duration.toNanos());
            rest();
            for (long next = next(); next <= target; next = next()) {
                nowNanos = Math.max(nowNanos, next);
                rest();
            }
            nowNanos = target;
        } finally {
            isAdvancing = false;
        }
    }

    /** Steps loops and runs timers until nothing is due now. */
    private void rest() {
        int steps = 0;
        boolean isBusy = true;
        while (isBusy) {
            isBusy = runTimers();
            // A step may add loops at the end, or remove all of a process that it does not belong to.
            for (int i = 0; i < loops.size(); i++) {
                VirtualLoop loop = loops.get(i);
                if (loop.isDue(nowNanos)) {
                    loop.step(nowNanos);
                    isBusy = true;
                    steps++;
                }
            }
            if (steps > MOST_STEPS_AT_AN_INSTANT) {
                throw new IllegalStateException("the tasks do not come to rest at " + now()
                        + ": perhaps each run of a task causes another one at once");
            }
        }
    }

    private boolean runTimers() {
        boolean hasRun = false;
        while (!timers.isEmpty() && timers.peek().atNanos() <= nowNanos) {
            timers.poll().action().run();
            hasRun = true;
        }
        return hasRun;
    }

    private long next() {
        long timer = timers.isEmpty() ? Long.MAX_VALUE : timers.peek().atNanos();
        long wake = Long.MAX_VALUE;
        boolean isIdle = true;
        for (VirtualLoop loop : loops) {
            wake = Math.min(wake, loop.wakeNanos());
            isIdle &= loop.isIdle();
        }
        if (isIdle && wake != Long.MAX_VALUE) {
            long event = nextEventMillis.getAsLong();
            long look = event == Long.MAX_VALUE ? Long.MAX_VALUE : event * 1_000_000 - AHEAD_NANOS;
            wake = Math.max(wake, look);
        }
        return Math.min(timer, wake);
    }

    /** A loop in virtual time: it is stepped when it is woken, and when its sleep is over. */
    static final class VirtualLoop implements Steps.SteppedLoop {
        /** A loop that sleeps as long as this has nothing to do. */
        private static final long IDLE_NANOS = Duration.ofSeconds(1).toNanos();

        private static final long AFTER_FAILURE_NANOS = Duration.ofMillis(200).toNanos();

        private final VirtualTimeline time;
        private final LongSupplier step;
        private boolean isWoken;
        private boolean isIdle;
        private long wakeNanos;

        VirtualLoop(VirtualTimeline time, LongSupplier step) {
            this.time = time;
            this.step = step;
        }

        @Override
        public void start() {
            isWoken = true;
            time.add(this);
        }

        @Override
        public void wake() {
            isWoken = true;
        }

        @Override
        public void close() {
            time.forget(this);
        }

        boolean isDue(long nowNanos) {
            return isWoken || wakeNanos <= nowNanos;
        }

        long wakeNanos() {
            return isWoken ? Long.MIN_VALUE : wakeNanos;
        }

        /** Whether the last step found nothing to do. */
        boolean isIdle() {
            return isIdle && !isWoken;
        }

        void step(long nowNanos) {
            isWoken = false;
            long sleep = sleepNanos();
            isIdle = sleep >= IDLE_NANOS;
            wakeNanos = sleep > Long.MAX_VALUE - nowNanos ? Long.MAX_VALUE : nowNanos + sleep;
        }

        /**
         * Like the thread around a real loop, this tries again after a failure of the database. Any other failure fails
         * the test.
         */
        private long sleepNanos() {
            try {
                return step.getAsLong();
            } catch (DatabaseUnavailableException e) {
                return AFTER_FAILURE_NANOS;
            }
        }
    }

    /** One life of the node: its loops and timers end together, as those of a process that is killed. */
    static final class VirtualProcess implements Steps {
        private final VirtualTimeline time;
        private final List<VirtualTimeline.VirtualLoop> loops = new ArrayList<>();
        private boolean isDead;

        VirtualProcess(VirtualTimeline time) {
            this.time = time;
        }

        @Override
        public SteppedLoop loop(String name, LongSupplier step) {
            VirtualTimeline.VirtualLoop loop = new VirtualTimeline.VirtualLoop(time, step);
            loops.add(loop);
            return loop;
        }

        @Override
        public void later(Duration delay, Runnable action) {
            time.after(delay, () -> {
                if (!isDead) {
                    action.run();
                }
            });
        }

        boolean isDead() {
            return isDead;
        }

        void kill() {
            isDead = true;
            loops.forEach(VirtualTimeline.VirtualLoop::close);
        }
    }
}
