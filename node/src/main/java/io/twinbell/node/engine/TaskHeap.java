package io.twinbell.node.engine;

import java.util.Arrays;

/**
 * The min-heap of (next fire time, task id): three arrays of primitives and a hash table from id to place, about 25 bytes
 * a task. Add, update, remove and pop cost O(log n) and allocate nothing, except when the heap grows.
 *
 * <p>It belongs to the trigger thread and knows no lock. It is only a cache of the table: an entry that is wrong makes a
 * claim that changes no row.
 */
final class TaskHeap {
    private static final int FIRST_CAPACITY = 1024;
    /** A flat heap: what is far apart in memory costs more than a comparison. */
    private static final int CHILDREN = 4;

    private long[] times = new long[FIRST_CAPACITY];
    private long[] ids = new long[FIRST_CAPACITY];
    private byte[] priorities = new byte[FIRST_CAPACITY];
    private int size;
    /** Open addressing; holds the place of an id in the heap plus one, 0 for an empty cell. */
    private int[] cells = new int[FIRST_CAPACITY * 2];

    int size() {
        return size;
    }

    /** The soonest fire time, or {@link Long#MAX_VALUE}. */
    long headTime() {
        return size == 0 ? Long.MAX_VALUE : times[0];
    }

    /** The id that goes with {@link #headTime()}; the heap must not be empty. */
    long headId() {
        return ids[0];
    }

    /** The priority that goes with it. */
    int headPriority() {
        return priorities[0];
    }

    /** Adds the task, or moves it to another time. */
    void put(long id, long time, int priority) {
        int cell = cellOf(id);
        if (cells[cell] != 0) {
            priorities[cells[cell] - 1] = (byte) priority;
            move(cells[cell] - 1, time);
            return;
        }
        if (size == times.length) {
            grow();
            cell = cellOf(id);
        }
        cells[cell] = size + 1;
        times[size] = time;
        ids[size] = id;
        priorities[size] = (byte) priority;
        size++;
        siftUp(size - 1);
    }

    /** Removes the task; false if it was not there. */
    boolean remove(long id) {
        int cell = cellOf(id);
        if (cells[cell] == 0) {
            return false;
        }
        removeAt(cells[cell] - 1);
        return true;
    }

    /** Removes the head; the heap must not be empty. */
    void pop() {
        removeAt(0);
    }

    /** Removes every id above zero: the user tasks. */
    void clearUserTasks() {
        long[] keptIds = new long[size];
        long[] keptTimes = new long[size];
        byte[] keptPriorities = new byte[size];
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (ids[i] < 0) {
                keptIds[kept] = ids[i];
                keptPriorities[kept] = priorities[i];
                keptTimes[kept++] = times[i];
            }
        }
        Arrays.fill(cells, 0);
        size = 0;
        for (int i = 0; i < kept; i++) {
            put(keptIds[i], keptTimes[i], keptPriorities[i]);
        }
    }

    boolean contains(long id) {
        return cells[cellOf(id)] != 0;
    }

    /** When the task is due, or {@link Long#MAX_VALUE} if it is not in the heap. */
    long timeOf(long id) {
        int place = cells[cellOf(id)];
        return place == 0 ? Long.MAX_VALUE : times[place - 1];
    }

    /**
     * Counts what is due: element i of {@code counts} grows by what is due before the end of stretch i and not before its
     * begin; what is overdue belongs to the first. Costs as much as there is due, and stops at {@code most}.
     *
     * @param stretch how long one is, in the unit of the times
     */
    void countDue(long from, int stretch, int[] counts, int most) {
        countDue(0, from, stretch, counts, most);
    }

    /** Below the place, and at it; returns how many more may be counted. */
    private int countDue(int place, long from, int stretch, int[] counts, int most) {
        long ahead = place < size ? Math.max(0, times[place] - from) : Long.MAX_VALUE;
        if (ahead / stretch >= counts.length || most == 0) {
            return most;
        }
        counts[(int) (ahead / stretch)]++;
        int left = most - 1;
        for (int child = CHILDREN * place + 1; child <= CHILDREN * (place + 1); child++) {
            left = countDue(child, from, stretch, counts, left);
        }
        return left;
    }

    private void move(int place, long time) {
        long before = times[place];
        times[place] = time;
        if (time < before) {
            siftUp(place);
        } else {
            siftDown(place);
        }
    }

    private void removeAt(int place) {
        emptyCell(cellOf(ids[place]));
        size--;
        if (place == size) {
            return;
        }
        long movedTime = times[size];
        long movedId = ids[size];
        ids[place] = movedId;
        times[place] = movedTime;
        priorities[place] = priorities[size];
        if (place > 0 && isBefore(movedTime, movedId, parentOf(place))) {
            siftUp(place);
        } else {
            siftDown(place);
        }
    }

    private static int parentOf(int place) {
        return (place - 1) / CHILDREN;
    }

    /**
     * Lets the entry rise: those that it passes move down one by one, and it is put where it ends. Its cell is looked up
     * before, because its old place says whose it is.
     */
    private void siftUp(int start) {
        int cell = cellOf(ids[start]);
        long time = times[start];
        long id = ids[start];
        byte priority = priorities[start];
        int place = start;
        while (place > 0 && isBefore(time, id, parentOf(place))) {
            shift(parentOf(place), place);
            place = parentOf(place);
        }
        put(cell, place, time, id, priority);
    }

    private void siftDown(int start) {
        int cell = cellOf(ids[start]);
        long time = times[start];
        long id = ids[start];
        byte priority = priorities[start];
        int place = start;
        while (true) {
            int child = soonestChildOf(place);
            if (child == size || isBefore(time, id, child)) {
                put(cell, place, time, id, priority);
                return;
            }
            shift(child, place);
            place = child;
        }
    }

    /** {@link #size} if there is none. */
    private int soonestChildOf(int place) {
        int first = CHILDREN * place + 1;
        if (first >= size) {
            return size;
        }
        int soonest = first;
        int end = Math.min(size, first + CHILDREN);
        for (int child = first + 1; child < end; child++) {
            if (isBefore(times[child], ids[child], soonest)) {
                soonest = child;
            }
        }
        return soonest;
    }

    /** System tasks have negative ids, so of two that are due at once they go first. */
    private boolean isBefore(long time, long id, int other) {
        return time != times[other] ? time < times[other] : id < ids[other];
    }

    private void shift(int from, int to) {
        put(cellOf(ids[from]), to, times[from], ids[from], priorities[from]);
    }

    private void put(int cell, int place, long time, long id, byte priority) {
        cells[cell] = place + 1;
        times[place] = time;
        ids[place] = id;
        priorities[place] = priority;
    }

    /** The cell that holds the id, or the empty one where it would go. */
    private int cellOf(long id) {
        int mask = cells.length - 1;
        int cell = spread(id) & mask;
        while (cells[cell] != 0 && ids[cells[cell] - 1] != id) {
            cell = (cell + 1) & mask;
        }
        return cell;
    }

    /** Closes the gap, so that no later search ends at it too early. */
    private void emptyCell(int emptied) {
        int mask = cells.length - 1;
        int gap = emptied;
        int cell = gap;
        cells[gap] = 0;
        while (true) {
            cell = (cell + 1) & mask;
            if (cells[cell] == 0) {
                return;
            }
            int wanted = spread(ids[cells[cell] - 1]) & mask;
            if (((cell - wanted) & mask) >= ((cell - gap) & mask)) {
                cells[gap] = cells[cell];
                cells[cell] = 0;
                gap = cell;
            }
        }
    }

    private static int spread(long id) {
        long mixed = id * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 32);
    }

    private void grow() {
        int capacity = Math.addExact(times.length, times.length);
        times = Arrays.copyOf(times, capacity);
        ids = Arrays.copyOf(ids, capacity);
        priorities = Arrays.copyOf(priorities, capacity);
        cells = new int[Math.multiplyExact(capacity, 2)];
        int mask = cells.length - 1;
        for (int place = 0; place < size; place++) {
            int cell = spread(ids[place]) & mask;
            while (cells[cell] != 0) {
                cell = (cell + 1) & mask;
            }
            cells[cell] = place + 1;
        }
    }
}
