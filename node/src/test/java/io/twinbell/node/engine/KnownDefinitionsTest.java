package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.calendar.store.CalendarSource;
import io.twinbell.node.compile.DefinitionCompiler;
import io.twinbell.node.engine.definition.Definitions;
import io.twinbell.node.engine.definition.HeapTableSync;
import io.twinbell.node.engine.run.ReadRequests;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.engine.step.TimeSources;
import io.twinbell.node.engine.trigger.ActionQueue;
import io.twinbell.node.engine.trigger.HeapAction;
import io.twinbell.node.engine.worker.OutcomeRecorderTest;
import io.twinbell.node.loop.Signals;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.ledger.claim.DueTask;
import io.twinbell.persistence.ledger.claim.JdbcDueTasks;
import io.twinbell.persistence.task.DefinitionParts;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Definitions of tasks that have fired are remembered, so they are not read again for every slot. */
class KnownDefinitionsTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    @Test
    void a_task_that_fires_again_is_kept() {
        long byClock = bench.task("clock", StoredTasks.EVERY_MINUTE, bench.nowMillis);
        long afterRun = bench.task("run", StoredTasks.DELAY_OF_A_MINUTE, bench.nowMillis);
        bench.beginAndFire();
        assertEquals(List.of("clock SUCCEEDED 1", "run SUCCEEDED 1"), bench.ledger());
        assertNotNull(bench.table.known(byClock));
        assertNotNull(bench.table.known(afterRun));
    }

    @Test
    void a_task_after_its_last_fire_is_forgotten() {
        long once = bench.task("once", StoredTasks.ONCE, bench.nowMillis);
        bench.beginAndFire();
        assertEquals(List.of("once SUCCEEDED 1"), bench.ledger());
        assertNull(bench.table.known(once));
    }

    @Test
    void a_new_slot_that_is_due_soon_is_known_before_it_is_due() {
        bench.begin();
        long soon = bench.task("soon", StoredTasks.EVERY_SECOND, bench.nowMillis + 2000);
        long later = bench.task("later", StoredTasks.EVERY_MINUTE, bench.nowMillis + 3_600_000);
        bench.requests.add(soon, later);
        bench.fireAll();
        assertNotNull(bench.table.known(soon));
        assertNull(bench.table.known(later));
    }

    @Test
    void of_many_new_tasks_those_that_are_due_soon_are_known() {
        bench.begin();
        long[] ids = new long[60];
        for (int i = 0; i < ids.length; i++) {
            long in = i % 3 == 0 ? 2000 : 3_600_000;
            ids[i] = bench.task("t" + i, StoredTasks.ONCE, bench.nowMillis + in + i);
        }
        long paused = bench.task("paused", StoredTasks.ONCE, bench.nowMillis + 3_600_000);
        bench.tasks.execute("update twinbell.task_state set state = 'PAUSED' where task_id = " + paused);
        bench.requests.add(ids);
        bench.requests.add(paused, 4711);
        bench.fireAll();
        for (int i = 0; i < ids.length; i++) {
            assertEquals(i % 3 == 0, bench.table.known(ids[i]) != null, "task " + i);
        }
        bench.nowMillis += 3_600_000 + ids.length;
        bench.fireAll();
        assertEquals(ids.length, bench.ledger().size());
    }

    @Test
    void many_changed_tasks_are_moved_in_the_heap() {
        long[] ids = new long[40];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = bench.task("t" + i, StoredTasks.ONCE, bench.nowMillis + 3_600_000);
        }
        bench.begin();
        bench.tasks.execute("update twinbell.task_state set next_fire_time = next_fire_time + interval '1 day'"
                + " where task_id > " + ids[9]);
        bench.tasks.execute("delete from twinbell.task where id <= " + ids[4]);
        bench.requests.add(ids);
        bench.fireAll();
        bench.nowMillis += 3_600_000;
        bench.fireAll();
        assertEquals(5, bench.ledger().size());
    }

    @Test
    void a_prefetched_definition_is_reread_before_it_fires_if_it_was_changed() {
        long task = bench.task("t", StoredTasks.EVERY_SECOND, bench.nowMillis + 500);
        bench.claimer.warmUp();
        bench.tasks.execute(
                "update twinbell.full_task set definition = '" + StoredTasks.json(StoredTasks.EVERY_MINUTE) + "'");
        bench.tasks.execute("update twinbell.task_state set version = version + 1");
        bench.requests.add(task);
        bench.claimer.warmUp();
        assertEquals(
                bench.tasks.number("select version from twinbell.task_state"),
                bench.table.known(task).version());
        bench.requests.add(task);
        bench.begin();
        assertNull(bench.table.known(task), "what was written since the last look is not believed either");
    }

    @Test
    void a_new_task_does_not_evict_tasks_that_fire() {
        Definitions definitions =
                new Definitions(new Definitions.Bounds(4, 10_000), new DefinitionCompiler(bench.calendars));
        for (long id = 1; id <= 3; id++) {
            definitions.renew(due(id), bench.nowMillis);
        }
        assertNotNull(definitions.get(1));
        assertNotNull(definitions.get(2));
        assertNull(definitions.get(3));
    }

    @Test
    void no_more_text_is_remembered_than_there_is_memory_for() {
        String large = StoredTasks.json(StoredTasks.EVERY_SECOND, " ".repeat(1000));
        Definitions definitions = new Definitions(
                new Definitions.Bounds(100, 2L * large.length()), new DefinitionCompiler(bench.calendars));
        definitions.add(due(1, large));
        definitions.add(due(2, large));
        definitions.add(due(2, large));
        assertNotNull(definitions.get(1), "what is learned again takes the place of what was known");
        definitions.add(due(3, large));
        assertNull(definitions.get(2), "the one that was used longest ago");
        assertNotNull(definitions.get(1));
        assertNotNull(definitions.get(3));
        definitions.forget(1);
        definitions.add(due(4, large));
        assertNotNull(definitions.get(3), "what was forgotten takes no room");
        assertNotNull(definitions.add(due(5, " ".repeat(10 * large.length()))).error());
        assertNull(definitions.get(5), "what has no room at all is read when it fires");
    }

    @Test
    void a_large_or_unreadable_definition_is_read_when_it_fires() {
        Definitions definitions =
                new Definitions(new Definitions.Bounds(100, 100_000), new DefinitionCompiler(bench.calendars));
        String large = StoredTasks.json(StoredTasks.EVERY_SECOND, " ".repeat(5000));
        assertNotNull(definitions.add(due(3, large)).definition(), "it can be read");
        definitions.renew(due(1, large), bench.nowMillis);
        assertNull(definitions.get(1));
        definitions.renew(due(2, "{}"), bench.nowMillis);
        assertNull(definitions.get(2));
    }

    @Test
    void a_changed_definition_is_reread_if_its_calendar_is_unreadable() {
        boolean[] isAway = {true};
        CalendarBook book = new CalendarBook(known -> {
            if (isAway[0]) {
                throw OutcomeRecorderTest.outage();
            }
            return new CalendarSource.Changes(List.of(), Set.of());
        });
        book.outdated();
        ActionQueue actions = new ActionQueue(10, new Signals<>(EngineEvent.class));
        try (DedicatedConnection connection = new DedicatedConnection(bench.settings, "test", 5)) {
            DefinitionCompiler compiler = new DefinitionCompiler(book);
            ReadRequests requests = new ReadRequests(new Signals<>(EngineEvent.class));
            HeapTableSync reads = new HeapTableSync(
                    new JdbcDueTasks(connection),
                    requests,
                    actions,
                    new TimeSources(() -> bench.nowMillis, bench.ticker),
                    compiler);
            long[] ids = {
                bench.task("a", StoredTasks.EVERY_SECOND, bench.nowMillis + 2000),
                bench.task("b", StoredTasks.EVERY_SECOND, bench.nowMillis + 2000)
            };
            requests.add(ids);
            assertThrows(DatabaseUnavailableException.class, reads::step);
            isAway[0] = false;
            while (actions.poll() != null) {
                // The result of the first read.
            }
            reads.step();
            assertNotNull(reads.known(ids[0]));
            assertNotNull(reads.known(ids[1]));
            HeapAction.Put together = assertInstanceOf(HeapAction.Put.class, actions.poll());
            assertEquals(
                    Set.of(ids[0], ids[1]),
                    Arrays.stream(together.ids()).boxed().collect(Collectors.toSet()));
        }
    }

    private DueTask due(long id) {
        return due(id, StoredTasks.json(StoredTasks.EVERY_SECOND));
    }

    private DueTask due(long id, String definition) {
        return new DueTask(
                id,
                1,
                "app",
                "t" + id,
                DefinitionParts.whole(definition),
                bench.nowMillis + 1000,
                false,
                (byte) 5,
                List.of());
    }
}
