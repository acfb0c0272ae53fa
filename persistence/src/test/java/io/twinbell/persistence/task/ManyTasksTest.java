package io.twinbell.persistence.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class ManyTasksTest {
    private static final long NOON = 1_772_366_400_000L;
    private static final int MANY = 1000;

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tables = new TestTasks(database);
    private final TaskStore store = new JdbcTaskStore(database);

    private static TaskName name(int i) {
        return new TaskName("app", "n" + i);
    }

    private static SortedSet<TaskName> names(int count) {
        return IntStream.range(0, count).mapToObj(ManyTasksTest::name).collect(Collectors.toCollection(TreeSet::new));
    }

    private static NewTask plain(TaskName name) {
        TaskContent content = new TaskContent(name.app(), name.name(), null, List.of(), "log", null, "{}");
        return TestTasks.newTask(content, TaskProgress.fresh(TaskState.ACTIVE, null, OptionalLong.of(NOON)), 5);
    }

    /** With everything that a task can have, each with something of its own. */
    private static NewTask rich(TaskName name) {
        String own = name.name();
        TaskContent content = new TaskContent(
                name.app(),
                own,
                "Zoë \t\\N " + own,
                List.of("a,b", "\"quoted\" {brace}", "NULL", "\\", own),
                "java",
                "key." + own,
                "{\"data\": \"\uD83D\uDD14 line\\nbreak \\\\ " + own + "\", \"priority\": 9}");
        return TestTasks.newTask(
                content, TaskProgress.fresh(TaskState.PAUSED, "disabled", OptionalLong.of(NOON + 1)), 9);
    }

    @Test
    void everything_about_a_task_comes_back() {
        Map<TaskName, Long> ids = store.insertAll(names(MANY), ManyTasksTest::rich);
        assertEquals(names(MANY), ids.keySet());
        for (int i = 0; i < MANY; i += 100) {
            Task stored = store.find(ids.get(name(i))).orElseThrow();
            assertEquals(rich(name(i)).content(), stored.content());
            assertEquals(rich(name(i)).progress(), stored.progress());
            assertEquals(1, stored.version());
        }
    }

    @Test
    void a_row_among_many_is_as_one_by_itself_would_be() {
        String rows = "select t.app, t.owner, t.tags, t.handler_type, t.handler_key, t.chained, s.version, s.state,"
                + " s.state_reason, s.next_fire_time, s.previous_fire_time, s.planned_from, s.paused_by, s.runs,"
                + " s.off_schedule, s.finished_at, s.priority,"
                + " abs(extract(epoch from now() - t.created_at)) < 600, abs(extract(epoch from now() - t.updated_at)) < 600,"
                + " abs(extract(epoch from now() - s.planned_at)) < 600"
                + " from twinbell.full_task t join twinbell.task_state s on s.task_id = t.id where t.app = 'app'";
        store.insert(plain(name(0)));
        List<String> byItself = tables.query(rows);
        TestPostgres.execute(database, "delete from twinbell.task");
        store.insertAll(names(MANY), ManyTasksTest::plain);
        List<String> copied = tables.query(rows);
        assertEquals(MANY, copied.size());
        assertEquals(byItself, copied.stream().distinct().toList());
    }

    @Test
    void each_task_is_read_once_whether_its_name_is_free_or_taken() {
        List<TaskName> read = new ArrayList<>();
        Function<TaskName, NewTask> reader = name -> {
            read.add(name);
            return plain(name);
        };
        store.insert(plain(name(501)));
        assertEquals(MANY - 1, store.insertAll(names(MANY), reader).size());
        assertEquals(MANY, read.size());
        read.clear();
        assertEquals(Map.of(), store.insertAll(names(MANY), reader));
        assertEquals(MANY, read.size());
    }

    @Test
    void a_list_that_is_there_already_leaves_no_dead_rows() {
        store.insertAll(names(MANY), ManyTasksTest::plain);
        long before = tables.number("select pg_relation_size('twinbell.task')");
        store.insertAll(names(MANY), ManyTasksTest::plain);
        assertEquals(before, tables.number("select pg_relation_size('twinbell.task')"));
    }

    @Test
    void large_definitions_come_back_among_small_ones() {
        Map<TaskName, Long> ids = store.insertAll(names(MANY), ManyTasksTest::ofAnySize);
        for (int i = 0; i < MANY; i += 100) {
            Task stored = store.find(ids.get(name(i))).orElseThrow();
            assertEquals(ofAnySize(name(i)).content(), stored.content());
        }
    }

    /** Every fifth has half a megabyte, or less by a few characters than is sent at once. */
    private static NewTask ofAnySize(TaskName name) {
        int number = Integer.parseInt(name.name().substring(1));
        int length = number % 200 == 0 ? 500_000 : number % 5 == 0 ? 32_768 - number % 1000 : 10;
        TaskContent content = new TaskContent(
                name.app(), name.name(), null, List.of(), "log", null, "{\"data\": \"" + "x".repeat(length) + "\"}");
        return TestTasks.newTask(content, plain(name).progress(), 5);
    }

    @Test
    void a_server_that_ends_the_session_meanwhile_is_told_at_once_and_the_next_list_is_stored() {
        assertThrows(
                DatabaseUnavailableException.class,
                () -> store.insertAll(names(MANY), name -> {
                    if (name.equals(name(500))) {
                        tables.number("select count(pg_terminate_backend(pid)) from pg_stat_activity"
                                + " where datname = current_database() and pid <> pg_backend_pid()"
                                + " and state = 'idle in transaction'");
                    }
                    return ofAnySize(name);
                }));
        assertEquals(0, tables.number("select count(*) from twinbell.task"));
        assertEquals(MANY, store.insertAll(names(MANY), ManyTasksTest::plain).size());
    }

    @Test
    void a_task_without_a_fire_time_is_stored_without_one() {
        Map<TaskName, Long> ids = store.insertAll(
                names(MANY),
                name -> new NewTask(
                        plain(name).content(),
                        TaskProgress.fresh(TaskState.ACTIVE, null, OptionalLong.empty()),
                        5,
                        Map.of(),
                        plain(name).parts()));
        assertEquals(
                OptionalLong.empty(),
                store.find(ids.get(name(1))).orElseThrow().progress().nextFireMillis());
    }

    @Test
    void the_other_tasks_are_stored_where_a_name_is_taken() {
        Task there = store.insert(plain(name(500))).orElseThrow();
        Map<TaskName, Long> ids = store.insertAll(names(MANY), ManyTasksTest::rich);
        assertEquals(MANY - 1, ids.size());
        assertEquals(there, store.find(there.id()).orElseThrow());
        assertEquals(MANY, tables.number("select count(*) from twinbell.task_state"));
        assertEquals(
                rich(name(501)).content(),
                store.find(ids.get(name(501))).orElseThrow().content());
    }

    @Test
    void nothing_is_stored_if_a_task_cannot_be_read_and_the_connection_is_as_good_as_new() {
        List<TaskName> asked = new ArrayList<>();
        assertThrows(
                IllegalArgumentException.class,
                () -> store.insertAll(names(MANY), name -> {
                    asked.add(name);
                    if (asked.size() == MANY - 1) {
                        throw new IllegalArgumentException(name.name());
                    }
                    return plain(name);
                }));
        assertEquals(0, tables.number("select count(*) from twinbell.task"));
        assertEquals(MANY, store.insertAll(names(MANY), ManyTasksTest::plain).size());
    }

    @Test
    void an_instant_that_is_in_the_ledger_under_a_name_counts_as_claimed() {
        TestPostgres.execute(
                database,
                "insert into twinbell.execution (task_id, fire_time, app, name, state) values (7, twinbell.instant("
                        + NOON + "), 'app', 'n7', 'SUCCEEDED')");
        TestPostgres.execute(
                database, "insert into twinbell.removed_task (task_id, app, name) values (7, 'app', 'n7')");
        Map<TaskName, Long> ids = store.insertAll(names(MANY), ManyTasksTest::plain);
        tables.assertRows(
                "select task_id from twinbell.task_state where previous_fire_time = next_fire_time",
                ids.get(name(7)).toString());
    }

    @Test
    void calendars_are_linked() {
        TestPostgres.execute(database, "insert into twinbell.calendar (name, content) values ('bank', '{}')");
        store.insertAll(
                names(MANY),
                name -> new NewTask(
                        plain(name).content(),
                        plain(name).progress(),
                        5,
                        Map.of("bank", 1L),
                        plain(name).parts()));
        assertEquals(MANY, tables.number("select count(*) from twinbell.task_calendar where calendar = 'bank'"));
    }
}
