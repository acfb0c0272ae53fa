package io.twinbell.node.engine.trigger;

import io.twinbell.node.engine.run.AppHash;
import io.twinbell.node.engine.run.Urgency;
import java.util.Arrays;

/**
 * Min-heap of (next fire time, task id) in arrays of primitives: 34 to 46 bytes a task, and 36 with ten million tasks.
 * Add, update, remove and pop cost O(log n) and allocate nothing, except when the heap grows.
 *
 * <p>A task keeps one array slot, which holds its id, as long as it is in the heap. The heap orders array slots, so
 * moving an entry needs no lookup. When an entry moves down, only times are read, and the times of one parent's
 * children are adjacent in memory.
 *
 * <p>The trigger thread owns it, so it needs no lock. It is only a cache of the table: a wrong entry leads to a claim
 * that changes no row.
 */
public final class TaskHeap {
    private static final int FIRST_CAPACITY = 1024;
    /** A flat heap: a cache miss costs more than a comparison, and eight times fill one cache line. */
    private static final int CHILDREN = 8;

    private static final int NO_SLOT = -1;

    /** Indexed by place in the heap. */
    private long[] times;

    private int[] slots;

    /**
     * Indexed by array slot: the task's id in the low 48 bits, enough for 140 trillion tasks, and its app in the bits
     * above.
     */
    private long[] idsAndApps;

    private byte[] priorities;
    /** Indexed by array slot: the place in the heap. For a free slot, the next free one. */
    private int[] places;

    private int size;
    /** Array slots from here on were never used. */
    private int fresh;

    private int firstFree = NO_SLOT;
    /**
     * Hash table with open addressing, at most two thirds full. A cell holds the array slot of an id plus one; 0 means
     * empty.
     */
    private int[] cells;

    public TaskHeap() {
        this(FIRST_CAPACITY);
    }

    /** @param capacity the initial number of tasks; a power of two */
    TaskHeap(int capacity) {
        times = new long[capacity];
        slots = new int[capacity];
        idsAndApps = new long[capacity];
        priorities = new byte[capacity];
        places = new int[capacity];
        cells = new int[capacity * 2];
    }

    public int size() {
        return size;
    }

    /** The earliest fire time, or {@link Long#MAX_VALUE} if the heap is empty. */
    public long headTime() {
        return size == 0 ? Long.MAX_VALUE : times[0];
    }

    /** The task id at {@link #headTime()}; the heap must not be empty. */
    public long headId() {
        return idOf(slots[0]);
    }

    /** The priority at {@link #headTime()}; the heap must not be empty. */
    int headPriority() {
        return priorities[slots[0]];
    }

    /** The {@link AppHash} at {@link #headTime()}; the heap must not be empty. */
    short headApp() {
        return appOf(slots[0]);
    }

    /** {@link #put(long, long, int, short)} where the app does not matter. */
    public void put(long id, long time, int priority) {
        put(id, time, priority, AppHash.UNKNOWN);
    }

    /** Adds the task, or moves it to another time. A known app is kept if the given one is unknown. */
    void put(long id, long time, int priority, short app) {
        int cell = cellOf(id);
        if (cells[cell] == 0) {
            add(id, time, priority, app);
            return;
        }
        int slot = cells[cell] - 1;
        priorities[slot] = (byte) priority;
        if (app != AppHash.UNKNOWN) {
            idsAndApps[slot] = pack(id, app);
        }
        int place = places[slot];
        if (time < times[place]) {
            siftUp(place, time, slot);
        } else {
            siftDown(place, time, slot);
        }
    }

    private void add(long id, long time, int priority, short app) {
        grow();
        int slot = takeSlot();
        idsAndApps[slot] = pack(id, app);
        priorities[slot] = (byte) priority;
        cells[cellOf(id)] = slot + 1;
        size++;
        siftUp(size - 1, time, slot);
    }

    /** Removes the task; returns false if it was not in the heap. */
    boolean remove(long id) {
        int cell = cellOf(id);
        if (cells[cell] == 0) {
            return false;
        }
        remove(cell, cells[cell] - 1);
        return true;
    }

    /** Removes the head; the heap must not be empty. */
    public void pop() {
        remove(cellOf(headId()), slots[0]);
    }

    /** Removes every id above zero: the user tasks. */
    void clearUserTasks() {
        TaskHeap kept = new TaskHeap();
        for (int place = 0; place < size; place++) {
            int slot = slots[place];
            if (idOf(slot) < 0) {
                kept.put(idOf(slot), times[place], priorities[slot], appOf(slot));
            }
        }
        times = kept.times;
        slots = kept.slots;
        idsAndApps = kept.idsAndApps;
        priorities = kept.priorities;
        places = kept.places;
        size = kept.size;
        fresh = kept.fresh;
        firstFree = kept.firstFree;
        cells = kept.cells;
    }

    boolean contains(long id) {
        return cells[cellOf(id)] != 0;
    }

    /** The task's time, or {@link Long#MAX_VALUE} if it is not in the heap. */
    long timeOf(long id) {
        int cell = cellOf(id);
        return cells[cell] == 0 ? Long.MAX_VALUE : times[places[cells[cell] - 1]];
    }

    /** The earliest fire time in a heap ordered by {@link Urgency}; looks at each entry. */
    long soonestByUrgency() {
        long soonest = Long.MAX_VALUE;
        for (int place = 0; place < size; place++) {
            soonest = Math.min(soonest, Urgency.fireMillis(times[place], priorities[slots[place]]));
        }
        return soonest;
    }

    /** The priority of a task that is in the heap. */
    int priorityOf(long id) {
        return priorities[cells[cellOf(id)] - 1];
    }

    /**
     * Counts due tasks by stretch of time: adds to element i of {@code counts} the tasks due in stretch i. Overdue
     * tasks belong to the first. The cost grows with the number counted; counting stops at {@code most}.
     *
     * @param stretch length of a stretch, in the unit of the times
     */
    void countDue(long from, int stretch, int[] counts, int most) {
        countDue(0, from, stretch, counts, most);
    }

    /** Counts at the place and below it; returns how many more may be counted. */
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

    private void remove(int cell, int slot) {
        emptyCell(cell);
        int place = places[slot];
        places[slot] = firstFree;
        firstFree = slot;
        size--;
        if (place == size) {
            return;
        }
        long time = times[size];
        int moved = slots[size];
        if (place > 0 && isBefore(time, moved, parentOf(place))) {
            siftUp(place, time, moved);
        } else {
            siftDown(place, time, moved);
        }
    }

    private static int parentOf(int place) {
        return (place - 1) / CHILDREN;
    }

    /** Moves an entry up from the start place; each entry that it passes moves down one level. */
    private void siftUp(int start, long time, int slot) {
        int place = start;
        while (place > 0 && isBefore(time, slot, parentOf(place))) {
            int parent = parentOf(place);
            set(place, times[parent], slots[parent]);
            place = parent;
        }
        set(place, time, slot);
    }

    private void siftDown(int start, long time, int slot) {
        int place = start;
        while (true) {
            int child = soonestChildOf(place);
            if (child == size || isBefore(time, slot, child)) {
                set(place, time, slot);
                return;
            }
            set(place, times[child], slots[child]);
            place = child;
        }
    }

    /** The place of the earliest child; {@link #size} if there is none. */
    private int soonestChildOf(int place) {
        int first = CHILDREN * place + 1;
        if (first >= size) {
            return size;
        }
        int soonest = first;
        int end = Math.min(size, first + CHILDREN);
        for (int child = first + 1; child < end; child++) {
            if (isBefore(times[child], slots[child], soonest)) {
                soonest = child;
            }
        }
        return soonest;
    }

    /** System tasks have negative ids, so of two tasks due at once the system task goes first. */
    private boolean isBefore(long time, int slot, int other) {
        return time != times[other] ? time < times[other] : idOf(slot) < idOf(slots[other]);
    }

    private void set(int place, long time, int slot) {
        times[place] = time;
        slots[place] = slot;
        places[slot] = place;
    }

    private static long pack(long id, short app) {
        if (id << Short.SIZE >> Short.SIZE != id) {
            throw new IllegalArgumentException("task id " + id + " does not fit into 48 bits");
        }
        return (long) app << Long.SIZE - Short.SIZE | id & -1L >>> Short.SIZE;
    }

    private long idOf(int slot) {
        return idsAndApps[slot] << Short.SIZE >> Short.SIZE;
    }

    private short appOf(int slot) {
        return (short) (idsAndApps[slot] >>> Long.SIZE - Short.SIZE);
    }

    private int takeSlot() {
        if (firstFree == NO_SLOT) {
            fresh++;
            return fresh - 1;
        }
        int slot = firstFree;
        firstFree = places[slot];
        return slot;
    }

    /** The cell that holds the id, or the empty cell where it would go. */
    private int cellOf(long id) {
        int mask = cells.length - 1;
        int cell = spread(id) & mask;
        while (cells[cell] != 0 && idOf(cells[cell] - 1) != id) {
            cell = (cell + 1) & mask;
        }
        return cell;
    }

    /** Empties the cell and closes the gap, so that no later search ends at it too early. */
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
            int wanted = spread(idOf(cells[cell] - 1)) & mask;
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

    /** Grows the arrays by half, so that ten million tasks fit into memory. The hash table has to double. */
    private void grow() {
        if (size == times.length) {
            int capacity = Math.addExact(size, size / 2);
            times = Arrays.copyOf(times, capacity);
            slots = Arrays.copyOf(slots, capacity);
            idsAndApps = Arrays.copyOf(idsAndApps, capacity);
            priorities = Arrays.copyOf(priorities, capacity);
            places = Arrays.copyOf(places, capacity);
        }
        if (size >= cells.length / 3 * 2) {
            cells = new int[Math.multiplyExact(cells.length, 2)];
            for (int place = 0; place < size; place++) {
                cells[cellOf(idOf(slots[place]))] = slots[place] + 1;
            }
        }
    }
}
