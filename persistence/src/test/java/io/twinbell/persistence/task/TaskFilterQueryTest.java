package io.twinbell.persistence.task;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One task that differs lies among the tasks that are read one by one, and two lie behind them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TaskFilterQueryTest {
    private static final long NOON = 1_772_366_400_000L;
    private static final int FIRST = 40;
    private static final int SECOND = TaskFilterQuery.NEAR + 70;
    private static final int THIRD = SECOND + 20;
    private static final int COUNT = THIRD + 30;

    private final DataSource database = TestPostgres.freshDatabase();
    private final TaskStore store = new JdbcTaskStore(database);

    @BeforeAll
    void store_tasks() {
        store.insertAll(
                IntStream.range(0, COUNT).mapToObj(TaskFilterQueryTest::task).toList());
    }

    private static NewTask task(int i) {
        boolean differs = i == FIRST || i == SECOND || i == THIRD;
        TaskContent content = new TaskContent(
                differs ? "rare" : "shop",
                String.format(Locale.ROOT, "task-%05d%s", i, differs ? "-Ärger_A" : ""),
                differs ? "alice" : "bob",
                differs ? List.of("rare") : List.of("common"),
                differs ? "sql" : "java",
                differs ? null : "shop.order",
                "{}");
        TaskState state = differs ? TaskState.PAUSED : TaskState.ACTIVE;
        return TestTasks.newTask(content, TaskProgress.fresh(state, null, OptionalLong.of(NOON)), 5);
    }

    static Stream<Arguments> filters() {
        return Stream.of(
                Arguments.of("app", new TaskFilter("rare", null, null, null, null, null)),
                Arguments.of("tag", new TaskFilter(null, "rare", null, null, null, null)),
                Arguments.of("owner", new TaskFilter(null, null, "alice", null, null, null)),
                Arguments.of("state", new TaskFilter(null, null, null, TaskState.PAUSED, null, null)),
                Arguments.of("handler", new TaskFilter(null, null, null, null, "sql", null)),
                Arguments.of("ASCII part of the name", new TaskFilter(null, null, null, null, null, "GER_a")),
                Arguments.of("other part of the name", new TaskFilter(null, null, null, null, null, "äRGER")),
                Arguments.of("everything", new TaskFilter("rare", "rare", "alice", TaskState.PAUSED, "sql", "task")));
    }

    private List<Long> pages(TaskFilter filter, int limit) {
        List<Long> found = new ArrayList<>();
        List<Task> page = store.list(filter, 0, limit);
        while (!page.isEmpty()) {
            page.forEach(task -> found.add(task.id()));
            page = store.list(filter, found.get(found.size() - 1), limit);
        }
        return found;
    }

    private List<Long> expected() {
        return store
                .ids(List.of(FIRST, SECOND, THIRD).stream()
                        .map(i -> task(i).content().key())
                        .toList())
                .values()
                .stream()
                .sorted()
                .toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("filters")
    void rare_matches_are_found_in_id_order_by_pages_of_every_size(String name, TaskFilter filter) {
        for (int limit = 1; limit <= 4; limit++) {
            assertEquals(expected(), pages(filter, limit), "pages of " + limit);
        }
        assertEquals(3, store.count(filter, 0));
        assertEquals(2, store.count(filter, expected().get(0)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("filters")
    void a_bulk_change_reaches_every_match_once(String name, TaskFilter filter) {
        List<Long> changed = new ArrayList<>();
        TaskDecision remember = (task, now) -> {
            changed.add(task.id());
            return new TaskChange.Keep();
        };
        store.changeAll(filter, 0, () -> true, remember);
        assertEquals(expected(), changed);
    }

    @Test
    void pages_of_a_common_match_continue_behind_the_tasks_read_one_by_one() {
        TaskFilter common = new TaskFilter(null, "common", null, null, null, null);
        assertEquals(COUNT - 3, pages(common, 4000).stream().distinct().count());
        assertEquals(COUNT, pages(TaskFilter.ALL, 4000).stream().distinct().count());
    }

    /** No machine reads {@value #COUNT} names within a millisecond. */
    @Test
    void a_search_that_takes_long_ends_after_some_tasks_and_goes_on_from_there() {
        TaskFilter part = new TaskFilter(null, null, null, null, null, "GER_a");
        List<Long> found = new ArrayList<>();
        Optional<Long> last = Optional.of(0L);
        int searches = 0;
        while (last.isPresent()) {
            TaskStore.Found next = store.search(part, last.get(), 5, Duration.ofMillis(1), COUNT / 2 + 1);
            next.tasks().forEach(task -> found.add(task.id()));
            last = next.lastId();
            searches++;
        }
        assertEquals(expected(), found);
        assertEquals(2, searches);
        assertEquals(
                new TaskStore.Found(store.list(part, 0, 5), Optional.empty()),
                store.search(part, 0, 5, Duration.ofMinutes(1), 1));
    }

    @Test
    void wildcards_in_a_part_of_a_name_match_themselves() {
        assertEquals(List.of(), pages(new TaskFilter(null, null, null, null, null, "task%ger"), 3));
        assertEquals(expected(), pages(new TaskFilter(null, null, null, null, null, "r_a"), 3));
    }
}
