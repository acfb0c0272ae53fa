package io.twinbell.node.engine.definition;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.compile.DefinitionCompiler;
import io.twinbell.node.engine.EngineBench;
import io.twinbell.node.engine.StoredTasks;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.loop.Signals;
import io.twinbell.persistence.ledger.claim.DueTask;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.HeapPage;
import io.twinbell.persistence.task.DefinitionParts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What is claimed next is read while a claim is under way. */
class ReadAheadTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final int AT_ONCE = 150;
    private static final Duration LONG = Duration.ofMinutes(1);

    private final List<Long> ids = new ArrayList<>();

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, AT_ONCE);

    @BeforeEach
    void prepare() {
        ids.addAll(bench.tasks.insertSeries(3 * AT_ONCE, StoredTasks.json(StoredTasks.ONCE), bench.nowMillis));
        bench.nowMillis += 3 * AT_ONCE;
        bench.begin();
    }

    private LongStream readAhead() {
        return ids.stream().mapToLong(id -> id).filter(bench.ahead::has);
    }

    @Test
    void definitions_behind_a_claim_are_read_ahead_and_used_once() {
        bench.fireAll();
        bench.ahead.step();
        assertEquals(2 * AT_ONCE, readAhead().count());
        assertEquals(
                ids.get(AT_ONCE).longValue(),
                readAhead().min().orElseThrow(),
                "the next of those that were not claimed");

        bench.fireAll();
        assertEquals(AT_ONCE, readAhead().count());
        bench.fireAll();
        assertEquals(0, readAhead().count());
        assertEquals(
                ids.stream().map(id -> "t" + ids.indexOf(id) + " SUCCEEDED 1").toList(), bench.ledger());
    }

    @Test
    void a_task_edited_since_is_read_again_before_it_runs() {
        bench.fireAll();
        bench.ahead.step();
        long edited = ids.get(AT_ONCE);
        assertTrue(bench.ahead.has(edited));
        bench.tasks.execute("update twinbell.full_task set definition ="
                + " jsonb_set(definition, '{handler,key}', '\"unknown\"') where id = " + edited);

        bench.fireAll(3);
        assertEquals("t" + AT_ONCE + " PENDING 1", bench.ledger().get(AT_ONCE), "no node has that handler");
        assertEquals(
                3 * AT_ONCE - 1,
                bench.ledger().stream()
                        .filter(row -> row.endsWith("SUCCEEDED 1"))
                        .count());
    }

    @Test
    void a_task_removed_since_does_not_run() {
        bench.fireAll();
        bench.ahead.step();
        bench.tasks.execute("delete from twinbell.task where id = " + ids.get(AT_ONCE));
        bench.fireAll(3);
        assertEquals(3 * AT_ONCE - 1, bench.ledger().size());
        assertFalse(bench.ledger().contains("t" + AT_ONCE + " SUCCEEDED 1"));
    }

    /** A table of which only definitions are read. */
    private static class Answers implements DueTasks {
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

        private final Function<long[], List<DueTask>> answers;

        Answers(Function<long[], List<DueTask>> answers) {
            this.answers = answers;
        }

        @Override
        public HeapPage page(long afterFireMillis, long afterTaskId, int limit) {
            throw new AssertionError("pages are the claimer's");
        }

        @Override
        public HeapPage overdue(long byMillis, int limit) {
            throw new AssertionError("pages are the claimer's");
        }

        @Override
        public List<DueTask> read(long[] taskIds) {
            return answers.apply(taskIds);
        }
    }

    /** A table that answers when the test lets it. */
    private static final class SlowTable extends Answers {
        private final CountDownLatch isAsked;
        private final CompletableFuture<List<DueTask>> answer;

        SlowTable() {
            this(new CountDownLatch(1), new CompletableFuture<>());
        }

        private SlowTable(CountDownLatch isAsked, CompletableFuture<List<DueTask>> answer) {
            super(taskIds -> {
                isAsked.countDown();
                return answer.join();
            });
            this.isAsked = isAsked;
            this.answer = answer;
        }
    }

    private static DueTask task(long id) {
        return new DueTask(
                id,
                1,
                "app",
                "name",
                DefinitionParts.whole(StoredTasks.json(StoredTasks.ONCE)),
                0,
                false,
                (byte) 5,
                List.of());
    }

    private ReadAhead on(DueTasks table, Duration patience) {
        return new ReadAhead(
                table, new DefinitionCompiler(bench.calendars), patience, new Signals<>(EngineEvent.class));
    }

    /** Two tasks are being read when this returns, until the table answers. */
    private static Thread beginReading(ReadAhead ahead, SlowTable table) throws InterruptedException {
        Thread reader = new Thread(ahead::step, "read-ahead");
        ahead.begin(new long[] {1, 2});
        reader.start();
        table.isAsked.await();
        return reader;
    }

    @Test
    void the_definition_that_loads_the_classes_is_valid() {
        assertDoesNotThrow(new DefinitionCompiler()::loadClasses);
    }

    @Test
    void a_read_that_does_not_come_in_time_is_not_waited_for_again_and_is_never_used() throws Exception {
        SlowTable table = new SlowTable();
        ReadAhead slow = on(table, Duration.ZERO);
        Thread reader = beginReading(slow, table);
        assertNull(slow.take(1), "given up");
        table.answer.complete(List.of(task(1), task(2)));
        reader.join();
        assertNull(slow.take(2));
    }

    @Test
    void large_definitions_are_read_only_as_far_as_memory_allows() {
        String large = StoredTasks.json(StoredTasks.ONCE, " ".repeat(60_000));
        long[] asked = LongStream.rangeClosed(1, 1000).toArray();
        List<Integer> reads = new ArrayList<>();
        ReadAhead ahead = on(
                new Answers(taskIds -> {
                    reads.add(taskIds.length);
                    return LongStream.of(taskIds)
                            .mapToObj(id -> new DueTask(
                                    id, 1, "app", "name", DefinitionParts.whole(large), 0, false, (byte) 5, List.of()))
                            .toList();
                }),
                LONG);
        ahead.begin(asked);
        ahead.step();

        assertNotNull(ahead.take(1));
        assertNull(ahead.take(1000));
        assertEquals(List.of(250), reads, "15 million characters");
    }

    @Test
    void a_read_under_way_is_waited_for() throws Exception {
        SlowTable table = new SlowTable();
        ReadAhead ahead = on(table, LONG);
        Thread reader = beginReading(ahead, table);
        Thread answering = new Thread(() -> table.answer.complete(List.of(task(1), task(2))), "table");
        answering.start();
        assertNotNull(ahead.take(1));
        assertNull(ahead.take(1), "once");
        ahead.forget(2);
        assertNull(ahead.take(2), "it has changed since");
        answering.join();
        reader.join();
    }

    @Test
    void a_read_that_fails_or_was_cleared_away_leaves_nothing() {
        SlowTable failing = new SlowTable();
        failing.answer.completeExceptionally(new IllegalStateException("no such table"));
        ReadAhead ahead = on(failing, LONG);
        ahead.begin(new long[] {1});
        assertThrows(CompletionException.class, ahead::step);
        assertNull(ahead.take(1));

        SlowTable answering = new SlowTable();
        answering.answer.complete(List.of(task(1)));
        ReadAhead cleared = on(answering, LONG);
        cleared.begin(new long[] {1});
        cleared.step();
        cleared.clear();
        assertNull(cleared.take(1));
    }

    @Test
    void a_read_that_has_not_begun_is_given_up() {
        ReadAhead ahead = on(new SlowTable(), LONG);
        ahead.begin(new long[] {1});
        assertNull(ahead.take(1));
        ahead.step();
    }

    @Test
    void nothing_is_read_ahead_where_definitions_are_known() {
        bench.tasks.execute("delete from twinbell.task");
        ids.clear();
        for (int i = 0; i < 2 * AT_ONCE; i++) {
            ids.add(bench.task("again" + i, StoredTasks.DELAY_OF_A_MINUTE, bench.nowMillis));
        }
        bench.beginAndFire();
        bench.ahead.step();
        assertEquals(AT_ONCE, readAhead().count());
        bench.fireAll();

        bench.nowMillis += 60_000;
        bench.fireAll();
        bench.ahead.step();
        assertEquals(0, readAhead().count());
        ids.forEach(id -> assertNotNull(bench.table.known(id)));
    }
}
