package io.twinbell.node.engine.definition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.compile.DefinitionCompiler;
import io.twinbell.node.engine.StoredTasks;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.engine.step.TimeSources;
import io.twinbell.node.engine.trigger.Trigger;
import io.twinbell.node.loop.Signals;
import io.twinbell.persistence.ledger.claim.DueTask;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.HeapPage;
import io.twinbell.persistence.task.DefinitionParts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What is due at one instant with many others is read before it, and nothing else is. */
class BurstPrefetchTest {
    private static final long NOON = 1_700_000_000_000L;
    private static final long AHEAD = BurstPrefetch.AHEAD.toMillis();
    private static final int LARGE = 1 << 16;
    private static final int MANY = 3 * BurstPrefetch.PAGE / 2;

    private final DefinitionCompiler compiler = new DefinitionCompiler();
    private final Definitions definitions = new Definitions(new Definitions.Bounds(20_000, 10_000_000), compiler);
    private final ReadTable table = new ReadTable();
    private final ReadAhead ahead =
            new ReadAhead(table, compiler, Duration.ofMinutes(1), new Signals<>(EngineEvent.class));
    private long nanos;
    private final BurstPrefetch crowds =
            new BurstPrefetch(table, new TimeSources(() -> NOON + nanos / 1_000_000, () -> nanos), ahead, definitions);

    BurstPrefetchTest() {
        crowds.begin();
    }

    /** Steps for this long, as the claimer would; the thread that reads ahead is quick. */
    private void passes(long millis) {
        long until = nanos + TimeUnit.MILLISECONDS.toNanos(millis);
        while (nanos < until) {
            long wait = crowds.step();
            ahead.step();
            assertTrue(wait > 0, "it does not let the claimer sleep");
            nanos = Math.min(until, nanos + Math.min(wait, TimeUnit.SECONDS.toNanos(1)));
        }
    }

    private long known(long first, long last) {
        return LongStream.rangeClosed(first, last).filter(ahead::has).count();
    }

    @Test
    void a_crowd_is_read_some_seconds_before_its_instant_and_not_sooner() {
        table.add(1, MANY, NOON + 60_000);
        passes(60_000 - AHEAD - 1);
        assertEquals(0, known(1, MANY));
        passes(1000);
        assertEquals(MANY, known(1, MANY));
        passes(AHEAD);
        assertEquals(MANY, table.read.size(), "each is read once");
    }

    @Test
    void while_nothing_is_near_nothing_is_asked() {
        table.add(1, 10, NOON + 3_600_000);
        passes(60_000);
        assertEquals(1, table.pages);
        passes(3_600_000);
        assertTrue(table.pages < 5, () -> table.pages + " pages");
    }

    @Test
    void a_slot_due_with_few_others_is_read_when_it_fires() {
        for (int i = 0; i < MANY; i++) {
            table.add(i, 1, NOON + 1000 + i);
        }
        table.add(MANY, Trigger.BURST - 1, NOON + 1000 + MANY);
        passes(1000);
        assertEquals(List.of(), table.read);
    }

    @Test
    void those_that_make_a_crowd_just_so_are_all_read() {
        table.add(1, 1, NOON + 999);
        table.add(2, Trigger.BURST, NOON + 1000);
        table.add(2 + Trigger.BURST, 1, NOON + 1001);
        passes(100);
        assertEquals(LongStream.range(2, 2 + Trigger.BURST).boxed().toList(), table.read);
    }

    @Test
    void a_known_definition_is_not_read_again() {
        table.add(1, 200, NOON + 2000);
        table.read(LongStream.rangeClosed(1, 150).toArray()).forEach(definitions::add);
        table.read.clear();
        passes(1000);
        assertEquals(LongStream.rangeClosed(151, 200).boxed().toList(), table.read);
    }

    @Test
    void a_crowd_that_is_written_behind_is_gone_back_to_when_the_rest_has_been_looked_at() {
        table.add(1, MANY, NOON + 12_000);
        passes(1000);
        table.add(10_000, MANY, NOON + 5000);
        crowds.written(NOON + 5000);
        table.add(20_000, MANY, NOON + 14_000);
        crowds.written(NOON + 14_000);
        passes(1000);
        assertEquals(MANY, known(10_000, 10_000 + MANY));
        assertEquals(MANY, known(20_000, 20_000 + MANY));
        assertEquals(3 * MANY, table.read.size());
    }

    @Test
    void constant_writes_do_not_keep_a_burst_from_being_read() {
        table.add(1, MANY, NOON + 20_000);
        for (int i = 0; i < 100; i++) {
            long fire = NOON + nanos / 1_000_000 + 3000;
            table.add(10_000 + i, 1, fire);
            crowds.written(fire);
            passes(100);
        }
        assertEquals(MANY, known(1, MANY));
        assertTrue(table.pages < 1000, () -> table.pages + " pages");
    }

    @Test
    void a_passed_slot_is_not_looked_at() {
        table.add(1, MANY, NOON - 1);
        passes(5000);
        assertEquals(List.of(), table.read);
    }

    @Test
    void a_task_edited_since_is_read_again() {
        table.add(1, MANY, NOON + 5000);
        passes(1000);
        ahead.forget(7);
        crowds.written(NOON + 5000);
        passes(1000);
        assertTrue(ahead.has(7));
        assertEquals(MANY + 1, table.read.size());
    }

    @Test
    void no_more_is_kept_than_there_is_room_for() {
        table.definition = StoredTasks.json(StoredTasks.ONCE, " ".repeat(LARGE));
        int room = (int) (Runtime.getRuntime().maxMemory() / 16 / LARGE);
        int tasks = 2 * room + BurstPrefetch.PAGE;
        table.add(1, tasks, NOON + 10_000);
        passes(10_000);
        assertFalse(ahead.hasRoom());
        long known = known(1, tasks);
        assertTrue(
                room - 1 <= known && known < room + BurstPrefetch.AT_ONCE,
                () -> known + " where " + room + " have room");
        assertEquals(known, table.read.size());
    }

    @Test
    void a_claim_made_meanwhile_does_not_wait_long() {
        table.add(1, MANY, NOON + 5000);
        passes(100);
        assertNotNull(ahead.take(1));
        assertTrue(Arrays.stream(table.readAtOnce.toArray(Integer[]::new))
                .allMatch(size -> size <= BurstPrefetch.AT_ONCE));
    }

    /** By fire time and id, as the due index has them. */
    private static final class ReadTable implements DueTasks {
        @Override
        public HeapPage waiting(long[] taskIds) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Map<Long, String> apps(long[] taskIds) {
            return Map.of();
        }

        @Override
        public String soleApp() {
            return "app";
        }

        private final TreeMap<Long, List<Long>> byFireTime = new TreeMap<>();
        private final List<Long> read = new ArrayList<>();
        private final List<Integer> readAtOnce = new ArrayList<>();
        private String definition = StoredTasks.json(StoredTasks.ONCE);
        private int pages;

        void add(long firstId, int tasks, long fireMillis) {
            List<Long> ids = byFireTime.computeIfAbsent(fireMillis, instant -> new ArrayList<>());
            LongStream.range(firstId, firstId + tasks).forEach(ids::add);
        }

        @Override
        public HeapPage page(long afterFireMillis, long afterTaskId, int limit) {
            pages++;
            long[][] rows = byFireTime.tailMap(afterFireMillis).entrySet().stream()
                    .flatMap(instant -> instant.getValue().stream()
                            .filter(id -> instant.getKey() > afterFireMillis || id > afterTaskId)
                            .map(id -> new long[] {instant.getKey(), id}))
                    .limit(limit)
                    .toArray(long[][]::new);
            return new HeapPage(
                    Arrays.stream(rows).mapToLong(row -> row[0]).toArray(),
                    Arrays.stream(rows).mapToLong(row -> row[1]).toArray(),
                    new byte[rows.length]);
        }

        @Override
        public HeapPage overdue(long byMillis, int limit) {
            throw new AssertionError("nothing is overdue");
        }

        @Override
        public List<DueTask> read(long[] taskIds) {
            readAtOnce.add(taskIds.length);
            return Arrays.stream(taskIds)
                    .peek(read::add)
                    .mapToObj(id -> new DueTask(
                            id,
                            1,
                            "app",
                            "t" + id,
                            DefinitionParts.whole(definition),
                            NOON,
                            false,
                            (byte) 5,
                            List.of()))
                    .toList();
        }
    }
}
