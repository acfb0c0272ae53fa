package io.twinbell.node.engine.definition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.twinbell.node.compile.DefinitionCompiler;
import io.twinbell.node.engine.StoredTasks;
import io.twinbell.node.engine.step.TimeSources;
import io.twinbell.persistence.ledger.claim.DueTask;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.DueTasks.HeapPage;
import io.twinbell.persistence.task.DefinitionParts;
import io.twinbell.persistence.testing.HandTicker;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class StandbyPrefetchTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final String USUAL = StoredTasks.json(StoredTasks.EVERY_SECOND);

    private final HandTicker ticker = new HandTicker();
    private final TimeSources clocks = new TimeSources(() -> NOW, ticker);
    private final DefinitionCompiler compiler = new DefinitionCompiler();
    private final Definitions definitions = new Definitions(new Definitions.Bounds(20_000, 10_000_000), compiler);

    @Test
    void the_first_page_is_read_in_parts() {
        ReadTable table = new ReadTable(3000, NOW + 500, USUAL);
        StandbyPrefetch prefetch = new StandbyPrefetch(table, definitions, clocks);

        prefetch.readPage();
        assertEquals(StandbyPrefetch.LEARNED_AT_ONCE, definitions.size());
        look(prefetch, 10);
        assertEquals(StandbyPrefetch.PAGE, definitions.size());
        assertEquals(StandbyPrefetch.PAGE / StandbyPrefetch.LEARNED_AT_ONCE, table.reads);
    }

    @Test
    void a_task_that_is_written_later_is_read_too_and_one_that_has_gone_is_dropped() {
        ReadTable table = new ReadTable(3000, NOW + 500, USUAL);
        StandbyPrefetch prefetch = new StandbyPrefetch(table, definitions, clocks);
        look(prefetch, 4);
        definitions.forget(700);
        prefetch.readPage();
        assertNotNull(definitions.get(700));

        table.firstId = 501;
        look(prefetch, 2);
        assertEquals(StandbyPrefetch.PAGE, definitions.size());
        assertNull(definitions.get(500));
        assertNotNull(definitions.get(1500));
    }

    @Test
    void a_task_moved_off_its_schedule_once_is_read_when_it_fires() {
        ReadTable table = new ReadTable(10, NOW + 500, USUAL);
        table.offSchedule = 7;
        new StandbyPrefetch(table, definitions, clocks).readPage();

        assertEquals(9, definitions.size());
        assertNull(definitions.get(7));
    }

    /** While a session holds an old snapshot, the search for the first page passes over every row that was due since. */
    @Test
    void a_first_page_that_is_slow_to_find_is_read_less_often() {
        ReadTable table = new ReadTable(10, NOW + 500, USUAL);
        table.duration = Duration.ofSeconds(1);
        StandbyPrefetch prefetch = new StandbyPrefetch(table, definitions, clocks);
        prefetch.readPage();
        ticker.pass(Duration.ofSeconds(9));
        assertEquals(10, prefetch.readPage().size());
        assertEquals(1, table.pages);
        ticker.pass(Duration.ofSeconds(1));
        prefetch.readPage();
        assertEquals(2, table.pages);
    }

    @Test
    void a_promotion_begins_where_a_slow_search_arrived() {
        ReadTable table = new ReadTable(10, NOW - 700, USUAL);
        StandbyPrefetch prefetch = new StandbyPrefetch(table, definitions, clocks);
        prefetch.readPage();
        assertEquals(HeapTableSync.BEFORE_EVERYTHING, prefetch.beginningMillis());

        table.duration = Duration.ofSeconds(1);
        prefetch.readPage();
        assertEquals(NOW - 700, prefetch.beginningMillis());
    }

    /** A task may be added that is due before those that were found. */
    @Test
    void a_promotion_does_not_begin_after_the_time_of_the_search() {
        ReadTable table = new ReadTable(10, NOW + 700, USUAL);
        table.duration = Duration.ofSeconds(1);
        StandbyPrefetch prefetch = new StandbyPrefetch(table, definitions, clocks);
        prefetch.readPage();
        assertEquals(NOW, prefetch.beginningMillis());
    }

    private static void look(StandbyPrefetch prefetch, int times) {
        for (int i = 0; i < times; i++) {
            prefetch.readPage();
        }
    }

    /** Tasks with ids one after the other, all due at one instant. */
    private final class ReadTable implements DueTasks {
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

        private final int tasks;
        private final long fireMillis;
        private final String definition;
        private long firstId = 1;
        private long offSchedule;
        private Duration duration = Duration.ZERO;
        private int pages;
        private int reads;

        ReadTable(int tasks, long fireMillis, String definition) {
            this.tasks = tasks;
            this.fireMillis = fireMillis;
            this.definition = definition;
        }

        @Override
        public HeapPage page(long afterFireMillis, long afterTaskId, int limit) {
            pages++;
            ticker.pass(duration);
            long first = afterFireMillis < fireMillis ? firstId : afterTaskId + 1;
            long last = Math.min(firstId + tasks - 1, first + limit - 1);
            long[] ids = LongStream.rangeClosed(first, last).toArray();
            long[] times = new long[ids.length];
            Arrays.fill(times, fireMillis);
            return new HeapPage(times, ids, new byte[ids.length]);
        }

        @Override
        public HeapPage overdue(long byMillis, int limit) {
            throw new AssertionError("a standby has nothing overdue");
        }

        @Override
        public List<DueTask> read(long[] taskIds) {
            reads++;
            return Arrays.stream(taskIds)
                    .mapToObj(id -> new DueTask(
                            id,
                            1,
                            "app",
                            "t" + id,
                            DefinitionParts.whole(definition),
                            fireMillis,
                            id == offSchedule,
                            (byte) 5,
                            List.of()))
                    .toList();
        }
    }
}
