package io.twinbell.node.engine.trigger;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.run.AppHash;
import io.twinbell.node.engine.run.Urgency;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jol.info.GraphLayout;

class TaskHeapTest {
    private final TaskHeap heap = new TaskHeap();

    @Test
    void an_empty_heap_has_no_head() {
        assertEquals(Long.MAX_VALUE, heap.headTime());
        assertEquals(Long.MAX_VALUE, heap.timeOf(1));
        assertFalse(heap.contains(1));
        assertFalse(heap.remove(1));
    }

    @Test
    void tasks_due_at_once_go_by_system_task_and_then_by_lowest_id() {
        heap.put(2, 10, Urgency.USUAL);
        heap.put(1, 10, Urgency.USUAL);
        heap.put(SystemTasks.HEARTBEAT, 10, Urgency.USUAL);
        for (long expected : new long[] {SystemTasks.HEARTBEAT, 1, 2}) {
            assertEquals(expected, heap.headId());
            heap.pop();
        }
    }

    @Test
    void putting_a_task_again_moves_it() {
        heap.put(1, 10, Urgency.USUAL);
        heap.put(2, 20, Urgency.USUAL);
        heap.put(1, 30, Urgency.USUAL);
        assertEquals(2, heap.size());
        assertEquals(2, heap.headId());
        heap.put(1, 5, Urgency.USUAL);
        assertEquals(1, heap.headId());
    }

    @Test
    void clearing_the_user_tasks_leaves_the_system_tasks() {
        for (long id = SystemTasks.LOWEST_ID; id <= 5000; id++) {
            if (id != 0) {
                heap.put(id, 1000 - id, Urgency.USUAL);
            }
        }
        heap.clearUserTasks();
        assertEquals(4, heap.size());
        assertEquals(SystemTasks.INIT, heap.headId());
        assertFalse(heap.contains(1));
    }

    /** Ids a power of two apart share their first cell in a careless table; narrow times make many equal. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 20261121})
    void it_answers_like_a_sorted_set_through_thousands_of_changes(long seed) {
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Oracle oracle = new Oracle();
        for (int i = 0; i < 30_000; i++) {
            long id = switch (random.nextInt(4)) {
                case 0 -> -1 - random.nextInt(4);
                case 1 -> 1L + ((long) random.nextInt(500) << 32);
                default -> 1L + random.nextInt(4000);
            };
            boolean isGrowing = i % 10_000 < 6_000;
            change(random, oracle, id, isGrowing);
            oracle.assertSame(heap, id);
        }
        while (heap.size() > 0) {
            oracle.assertSame(heap, heap.headId());
            oracle.remove(heap.headId());
            heap.pop();
        }
        assertTrue(oracle.line.isEmpty());
    }

    private void change(Random random, Oracle oracle, long id, boolean isGrowing) {
        int dice = random.nextInt(10);
        if (dice < (isGrowing ? 7 : 3)) {
            long time = random.nextInt(10) == 0 ? random.nextLong() >>> 1 : random.nextInt(100);
            heap.put(id, time, Urgency.USUAL);
            oracle.put(id, time);
        } else if (dice < 9) {
            assertEquals(oracle.remove(id), heap.remove(id));
        } else if (heap.size() > 0) {
            oracle.remove(heap.headId());
            heap.pop();
        } else {
            heap.clearUserTasks();
        }
    }

    private static final class Oracle {
        private record Entry(long time, long id) {}

        private final TreeSet<Entry> line =
                new TreeSet<>(Comparator.comparingLong(Entry::time).thenComparingLong(Entry::id));
        private final Map<Long, Long> times = new HashMap<>();

        void put(long id, long time) {
            remove(id);
            times.put(id, time);
            line.add(new Entry(time, id));
        }

        boolean remove(long id) {
            Long time = times.remove(id);
            return time != null && line.remove(new Entry(time, id));
        }

        void assertSame(TaskHeap heap, long touched) {
            assertEquals(line.size(), heap.size());
            assertEquals(times.containsKey(touched), heap.contains(touched));
            assertEquals(times.getOrDefault(touched, Long.MAX_VALUE), heap.timeOf(touched));
            if (!line.isEmpty()) {
                assertEquals(line.first(), new Entry(heap.headTime(), heap.headId()));
            }
        }
    }

    @Test
    void due_slots_are_counted_by_stretches_of_time() {
        for (int i = 0; i < 1000; i++) {
            heap.put(i, 100 + (i * 7919) % 1000, 5);
        }
        int[] counts = new int[3];
        heap.countDue(200, 50, counts, 1000);
        assertArrayEquals(new int[] {150, 50, 50}, counts, "what is overdue belongs to the first");
    }

    @Test
    void no_more_is_counted_than_is_wanted() {
        for (int i = 0; i < 1000; i++) {
            heap.put(i, i, 5);
        }
        int[] counts = new int[1];
        heap.countDue(0, 1000, counts, 99);
        assertArrayEquals(new int[] {99}, counts);
    }

    @Test
    void a_task_keeps_its_app_through_moves_until_another_is_said() {
        long large = (1L << 47) - 1;
        short high = (short) 0x8001;
        heap.put(-3, 5, 9);
        heap.put(large, 10, 5, high);
        heap.put(large, 20, 5, AppHash.UNKNOWN);
        heap.put(7, 30, 5, (short) 12);
        heap.put(7, 15, 5, (short) 13);
        assertEquals(-3, heap.headId());
        heap.pop();
        assertEquals(7, heap.headId());
        assertEquals(13, heap.headApp());
        heap.pop();
        assertEquals(large, heap.headId());
        assertEquals(high, heap.headApp());
        assertThrows(IllegalArgumentException.class, () -> heap.put(large + 1, 1, 5, high));
    }

    @Test
    void a_million_tasks_take_at_most_34_bytes_each() {
        int tasks = 1_000_000;
        for (int i = 0; i < tasks; i++) {
            heap.put(i, i, 5);
        }
        long bytes = GraphLayout.parseInstance(heap).totalSize();
        assertTrue(bytes <= 34L * tasks, bytes + " bytes");
    }
}
