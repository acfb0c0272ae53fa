package io.twinbell.node.engine.run;

import java.util.Arrays;
import java.util.function.Predicate;

/**
 * Min-heap of runs by a long key that is computed once per run. Runs with equal keys come in any order, so that
 * thousands at one instant cost no more to remove than to add. Not thread-safe.
 */
public final class RunHeap {
    private static final int FIRST_CAPACITY = 64;

    private long[] keys = new long[FIRST_CAPACITY];
    private Run[] runs = new Run[FIRST_CAPACITY];
    private int size;

    int size() {
        return size;
    }

    /** The least key, or {@link Long#MAX_VALUE}. */
    public long headKey() {
        return size == 0 ? Long.MAX_VALUE : keys[0];
    }

    /** Whether at least this many runs have the least key. */
    public boolean isShared(int count) {
        return size >= count && countHead(0, count) >= count;
    }

    private int countHead(int place, int most) {
        if (most <= 0 || place >= size || keys[place] != keys[0]) {
            return 0;
        }
        int left = 1 + countHead(2 * place + 1, most - 1);
        return left + countHead(2 * place + 2, most - left);
    }

    public void add(long key, Run run) {
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, Math.multiplyExact(size, 2));
            runs = Arrays.copyOf(runs, keys.length);
        }
        int place = size++;
        while (place > 0 && key < keys[(place - 1) / 2]) {
            move((place - 1) / 2, place);
            place = (place - 1) / 2;
        }
        put(place, key, run);
    }

    /** Removes a run with the least key; the heap must not be empty. */
    public Run poll() {
        int last = --size;
        Run run = runs[last];
        runs[last] = null;
        // In a burst of equal keys no entry has to move, which is cheap when two processors take runs by turns.
        if (keys[last] == keys[0]) {
            return run;
        }
        Run head = runs[0];
        siftDown(keys[last], run);
        return head;
    }

    private void siftDown(long key, Run run) {
        int place = 0;
        while (true) {
            int child = 2 * place + 1;
            if (child + 1 < size && keys[child + 1] < keys[child]) {
                child++;
            }
            if (child >= size || key <= keys[child]) {
                put(place, key, run);
                return;
            }
            move(child, place);
            place = child;
        }
    }

    /** Removes the runs for which the condition is true. */
    void removeIf(Predicate<Run> condition) {
        long[] oldKeys = keys;
        Run[] oldRuns = runs;
        int oldSize = size;
        keys = new long[oldKeys.length];
        runs = new Run[oldKeys.length];
        size = 0;
        for (int i = 0; i < oldSize; i++) {
            if (!condition.test(oldRuns[i])) {
                add(oldKeys[i], oldRuns[i]);
            }
        }
    }

    private void move(int from, int to) {
        put(to, keys[from], runs[from]);
    }

    private void put(int place, long key, Run run) {
        keys[place] = key;
        runs[place] = run;
    }
}
