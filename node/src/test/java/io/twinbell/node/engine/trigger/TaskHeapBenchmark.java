package io.twinbell.node.engine.trigger;

import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.agrona.DeadlineTimerWheel;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the heap costs that holds a million tasks, beside a queue of the JDK and a timer wheel. Each call leaves as many
 * tasks as there were. Run by the profile {@code benchmark}; see node/docs/PERFORMANCE.md.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
public class TaskHeapBenchmark {
    private static final int SPREAD_MILLIS = 1_000_000;
    private static final int TICKS = 1 << 16;
    private static final int PRIORITY = 5;

    @Param("1000000")
    public int tasks;

    private final SplittableRandom random = new SplittableRandom(1);
    private final TaskHeap heap = new TaskHeap();
    private final PriorityQueue<Entry> queue = new PriorityQueue<>();
    private final DeadlineTimerWheel wheel = new DeadlineTimerWheel(TimeUnit.MILLISECONDS, 0, 1, TICKS);
    private Entry[] entries;
    private long[] timers;
    private long now;

    private record Entry(long millis, long id) implements Comparable<Entry> {
        @Override
        public int compareTo(Entry other) {
            int byTime = Long.compare(millis, other.millis);
            return byTime != 0 ? byTime : Long.compare(id, other.id);
        }
    }

    @Setup
    public void fill() {
        entries = new Entry[tasks];
        timers = new long[tasks];
        for (int i = 0; i < tasks; i++) {
            long at = random.nextInt(SPREAD_MILLIS);
            heap.put(i, at, PRIORITY);
            entries[i] = new Entry(at, i);
            queue.add(entries[i]);
            timers[i] = wheel.scheduleTimer(at);
        }
    }

    @Benchmark
    public void addAndRemoveByHeap() {
        heap.put(tasks, random.nextInt(SPREAD_MILLIS), PRIORITY);
        heap.remove(tasks);
    }

    @Benchmark
    public boolean addAndRemoveByWheel() {
        return wheel.cancelTimer(wheel.scheduleTimer(random.nextInt(SPREAD_MILLIS)));
    }

    /** The queue looks through all of its entries for the one that goes. */
    @Benchmark
    public boolean addAndRemoveByQueue() {
        Entry entry = new Entry(random.nextInt(SPREAD_MILLIS), tasks);
        queue.add(entry);
        return queue.remove(entry);
    }

    @Benchmark
    public void updateByHeap() {
        heap.put(random.nextInt(tasks), random.nextInt(SPREAD_MILLIS), PRIORITY);
    }

    @Benchmark
    public void updateByWheel() {
        int task = random.nextInt(tasks);
        wheel.cancelTimer(timers[task]);
        timers[task] = wheel.scheduleTimer(random.nextInt(SPREAD_MILLIS));
    }

    @Benchmark
    public boolean updateByQueue() {
        int task = random.nextInt(tasks);
        boolean was = queue.remove(entries[task]);
        entries[task] = new Entry(random.nextInt(SPREAD_MILLIS), task);
        return queue.add(entries[task]) && was;
    }

    @Benchmark
    public void popAndAddByHeap() {
        long id = heap.headId();
        long at = heap.headTime();
        heap.pop();
        heap.put(id, at + random.nextInt(SPREAD_MILLIS), PRIORITY);
    }

    @Benchmark
    public boolean popAndAddByQueue() {
        Entry head = queue.poll();
        return queue.add(new Entry(head.millis() + random.nextInt(SPREAD_MILLIS), head.id()));
    }

    /** A wheel has no head: its clock is turned on until a timer is due. */
    @Benchmark
    public void popAndAddByWheel() {
        while (wheel.poll(now, (unit, at, timer) -> true, 1) == 0) {
            now++;
        }
        wheel.scheduleTimer(now + random.nextInt(SPREAD_MILLIS));
    }
}
