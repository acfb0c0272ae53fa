package io.twinbell.compare;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.HdrHistogram.Histogram;

/**
 * Records the runs of the current workload. Other schedulers create jobs by class name, so the jobs find this record in
 * a static field; a process runs one workload.
 */
final class Runs {
    private static final int DIGITS = 3;
    private static volatile Runs current = new Runs(0, 1);

    private final int each;
    /** When each run began, in microseconds since 1970; 0 if it has not begun. */
    private final AtomicLongArray begun;

    private final AtomicLongArray counts;
    private final AtomicInteger totalStarted = new AtomicInteger();
    private final AtomicInteger repeated = new AtomicInteger();
    private volatile long lastMicros;

    /** @param each the planned number of runs of each task */
    private Runs(int tasks, int each) {
        this.each = each;
        begun = new AtomicLongArray(Math.multiplyExact(tasks, each));
        counts = new AtomicLongArray(tasks);
    }

    static Runs expect(int tasks, int each) {
        current = new Runs(tasks, each);
        return current;
    }

    /** A task's handler calls this first. Runs beyond the planned ones are ignored. */
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
            totalStarted.incrementAndGet();
        } else {
            repeated.incrementAndGet();
        }
    }

    int totalStarted() {
        return totalStarted.get();
    }

    int planned() {
        return begun.length();
    }

    /** For one-shot tasks: how many ran more than once. */
    int repeated() {
        return repeated.get();
    }

    long lastMicros() {
        return lastMicros;
    }

    /** Microseconds since 1970; 0 if the task has not begun. */
    long firstStartedMicros(int task) {
        return begun.get(task * each);
    }

    /** The fire times of every task. */
    interface Timetable {
        long fireMillis(int task, int number);
    }

    /**
     * Lateness against the plan in microseconds: the nth run of a task against its nth fire time. A run that never
     * began counts as late by the whole time that was waited for it.
     */
    Histogram lateness(Timetable timetable, long endMicros) {
        Histogram lateness = new Histogram(DIGITS);
        for (int i = 0; i < begun.length(); i++) {
            long at = begun.get(i) == 0 ? endMicros : begun.get(i);
            lateness.recordValue(Math.max(0, at - timetable.fireMillis(i / each, i % each) * 1000));
        }
        return lateness;
    }

    /** How many runs began more than a millisecond early. */
    int early(Timetable timetable) {
        int early = 0;
        for (int i = 0; i < begun.length(); i++) {
            early += begun.get(i) != 0 && begun.get(i) < timetable.fireMillis(i / each, i % each) * 1000 - 1000 ? 1 : 0;
        }
        return early;
    }

    /** The machine's clock at the start of the process, continued by the monotonic clock. */
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
