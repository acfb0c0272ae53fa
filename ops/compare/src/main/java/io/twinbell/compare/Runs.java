package io.twinbell.compare;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.HdrHistogram.Histogram;

/**
 * What the handlers of the present work were told. Jobs of other schedulers are made by name, so they find it in a static
 * place; a process does one work.
 */
final class Runs {
    private static final int DIGITS = 3;
    private static volatile Runs current = new Runs(0, 1);

    private final int each;
    /** When each run began, in microseconds since 1970; 0 for one that has not. */
    private final AtomicLongArray begun;

    private final AtomicLongArray counts;
    private final AtomicInteger begunInAll = new AtomicInteger();
    private final AtomicInteger repeated = new AtomicInteger();
    private volatile long lastMicros;

    /** @param each how often each task is planned to run */
    private Runs(int tasks, int each) {
        this.each = each;
        begun = new AtomicLongArray(Math.multiplyExact(tasks, each));
        counts = new AtomicLongArray(tasks);
    }

    static Runs expect(int tasks, int each) {
        current = new Runs(tasks, each);
        return current;
    }

    /** Called by the handler of a task, first thing. Later runs than the planned ones are not looked at. */
    static void began(int task) {
        current.add(task, Clock.micros());
    }

    private void add(int task, long micros) {
        if (task < 0 || task >= counts.length()) {
            return;
        }
        long number = counts.getAndIncrement(task);
        if (number < each) {
            begun.set(task * each + (int) number, micros);
            lastMicros = micros;
            begunInAll.incrementAndGet();
        } else {
            repeated.incrementAndGet();
        }
    }

    int begunInAll() {
        return begunInAll.get();
    }

    int planned() {
        return begun.length();
    }

    /** Of tasks that run once: how many ran again. */
    int repeated() {
        return repeated.get();
    }

    long lastMicros() {
        return lastMicros;
    }

    /** Microseconds since 1970; 0 if the task has not begun. */
    long firstBegunMicros(int task) {
        return begun.get(task * each);
    }

    /** The fire times of every task. */
    interface Timetable {
        long fireMillis(int task, int number);
    }

    /**
     * Lateness in microseconds against the plan: the nth run of a task against its nth fire time. What never began is late
     * by at least as long as was waited for it.
     */
    Histogram lateness(Timetable timetable, long endMicros) {
        Histogram lateness = new Histogram(DIGITS);
        for (int i = 0; i < begun.length(); i++) {
            long at = begun.get(i) == 0 ? endMicros : begun.get(i);
            lateness.recordValue(Math.max(0, at - timetable.fireMillis(i / each, i % each) * 1000));
        }
        return lateness;
    }

    /** How many began more than a millisecond before their time. */
    int early(Timetable timetable) {
        int early = 0;
        for (int i = 0; i < begun.length(); i++) {
            early += begun.get(i) != 0 && begun.get(i) < timetable.fireMillis(i / each, i % each) * 1000 - 1000 ? 1 : 0;
        }
        return early;
    }

    /** The machine's clock as it was when the process began, carried on by the monotonic one. */
    static final class Clock {
        private static final long WALL_MICROS = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        private static final long NANOS = System.nanoTime();

        private Clock() {}

        static long micros() {
            return WALL_MICROS + (System.nanoTime() - NANOS) / 1000;
        }

        static long millis() {
            return micros() / 1000;
        }
    }
}
