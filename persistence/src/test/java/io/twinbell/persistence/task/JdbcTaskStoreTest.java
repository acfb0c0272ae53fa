package io.twinbell.persistence.task;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.task.PassedSlots.Outcome;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.ds.PGSimpleDataSource;

class JdbcTaskStoreTest {
    private static final long NOON = 1_772_366_400_000L;
    private static final long FAR = 4_102_444_800_000L;

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TaskStore store = new JdbcTaskStore(database);
    private Connection listener;

    @BeforeEach
    void listen() throws SQLException {
        listener = database.getConnection();
        try (Statement statement = listener.createStatement()) {
            statement.execute("listen twinbell_task");
            statement.execute("listen twinbell_ledger");
        }
    }

    @AfterEach
    void close() throws SQLException {
        listener.close();
    }

    private static NewTask task(String name) {
        TaskContent content = new TaskContent(
                "app", name, null, List.of("a,b", "\"quoted\" {brace}"), "java", "key", "{\"x\": 1.10}");
        return TestTasks.newTask(content, TaskProgress.fresh(TaskState.ACTIVE, null, OptionalLong.of(NOON)), 5);
    }

    private static TaskDecision move(long nextMillis) {
        return (current, now) -> new TaskChange.Rewrite(
                current.content(),
                TaskProgress.fresh(TaskState.ACTIVE, null, OptionalLong.of(nextMillis)),
                Optional.empty());
    }

    /** What has been notified on a channel since the last look; a round trip makes sure that it has arrived. */
    private List<String> notified(String channel) throws SQLException {
        try (Statement statement = listener.createStatement()) {
            statement.execute("select 1");
        }
        PGNotification[] arrived = listener.unwrap(PGConnection.class).getNotifications();
        return arrived == null
                ? List.of()
                : Arrays.stream(arrived)
                        .filter(notification -> notification.getName().equals(channel))
                        .map(PGNotification::getParameter)
                        .toList();
    }

    private String text(String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    @Test
    void a_stored_entry_is_returned_and_the_master_is_notified() throws SQLException {
        Task stored = store.insert(task("n")).orElseThrow();
        assertEquals(task("n").content(), stored.content());
        assertEquals(task("n").progress(), stored.progress());
        assertEquals(1, stored.version());
        assertEquals(Optional.of(stored), store.find(stored.id()));
        assertEquals(List.of(Long.toString(stored.id())), notified("twinbell_task"));
    }

    /** It might be claimed under the old id already, or be in the ledger for long: the new task must not run it again. */
    @Test
    void an_instant_that_is_in_the_ledger_under_a_tasks_name_counts_as_claimed_when_it_is_made_anew()
            throws SQLException {
        TestPostgres.execute(
                database,
                "insert into twinbell.execution (task_id, fire_time, app, name, state) values (7, twinbell.instant("
                        + NOON
                        + "), 'app', 'ran', 'SUCCEEDED'), (8, twinbell.instant(" + (NOON + 1)
                        + "), 'app', 'other', 'SUCCEEDED')");
        TestPostgres.execute(
                database,
                "insert into twinbell.removed_task (task_id, app, name) values (7, 'app', 'ran'), (8, 'app', 'other')");
        TestPostgres.execute(
                database,
                "insert into twinbell.passed_slots (task_id, app, name, fire_time, until_fire_time, slots, state, reason)"
                        + " select 9, 'app', 'passed', t, t, 1, 'MISSED', 'removed' from twinbell.instant(" + NOON
                        + ") t");
        assertEquals(OptionalLong.of(NOON), storedAnew("ran").previousFireMillis());
        assertEquals(OptionalLong.of(NOON), storedAnew("passed").previousFireMillis());
        assertEquals(OptionalLong.empty(), storedAnew("other").previousFireMillis(), "another instant");
        assertEquals(OptionalLong.empty(), storedAnew("new").previousFireMillis());
    }

    private TaskProgress storedAnew(String name) {
        return store.insert(task(name)).orElseThrow().progress();
    }

    private static TaskDecision pausedUntil(long untilMillis) {
        return (current, now) -> new TaskChange.Rewrite(
                current.content(),
                TaskProgress.fresh(TaskState.ACTIVE, null, OptionalLong.of(NOON))
                        .paused("night", new TaskPause("bob", OptionalLong.of(untilMillis))),
                Optional.empty());
    }

    @Test
    void pauses_that_are_over_are_decided_about_and_the_next_end_is_told() {
        long over = store.insert(task("over")).orElseThrow().id();
        long later = store.insert(task("later")).orElseThrow().id();
        store.change(over, pausedUntil(NOON));
        Task kept = store.change(later, pausedUntil(FAR)).orElseThrow();
        assertEquals(OptionalLong.of(FAR), store.endPauses(move(NOON + 1)));
        assertEquals(
                TaskProgress.fresh(TaskState.ACTIVE, null, OptionalLong.of(NOON + 1)),
                store.find(over).orElseThrow().progress());
        assertEquals(Optional.of(kept), store.find(later));
    }

    @Test
    void the_end_of_a_pause_does_not_wait_for_a_row_that_somebody_holds() throws SQLException {
        long held = store.insert(task("held")).orElseThrow().id();
        long free = store.insert(task("free")).orElseThrow().id();
        store.change(held, pausedUntil(NOON));
        store.change(free, pausedUntil(NOON));
        try (Connection application = database.getConnection();
                Statement statement = application.createStatement()) {
            application.setAutoCommit(false);
            statement.execute("select * from twinbell.task_state where task_id = " + held + " for update");
            assertEquals(OptionalLong.of(NOON), store.endPauses(move(NOON + 1)));
            assertEquals(
                    TaskState.ACTIVE, store.find(free).orElseThrow().progress().state());
            assertEquals(
                    TaskState.PAUSED, store.find(held).orElseThrow().progress().state());
            application.rollback();
        }
        assertEquals(OptionalLong.empty(), store.endPauses(move(NOON + 1)));
    }

    @Test
    void a_taken_name_stores_nothing_and_tells_nobody() throws SQLException {
        store.insert(task("n"));
        notified("twinbell_task");
        assertTrue(store.insert(task("n")).isEmpty());
        assertEquals(List.of(), notified("twinbell_task"));
    }

    @Test
    void many_ids_are_told_in_payloads_that_postgresql_takes() throws SQLException {
        List<NewTask> tasks =
                IntStream.range(0, 3000).mapToObj(i -> task("n" + i)).toList();
        List<OptionalLong> ids = store.insertAll(tasks);
        List<String> payloads = notified("twinbell_task");
        assertTrue(payloads.size() > 1);
        assertTrue(payloads.stream().allMatch(payload -> payload.length() < 8000));
        Set<Long> told = payloads.stream()
                .flatMap(payload -> Arrays.stream(payload.split(",")))
                .map(Long::valueOf)
                .collect(Collectors.toSet());
        assertEquals(ids.stream().map(OptionalLong::getAsLong).collect(Collectors.toSet()), told);
    }

    @Test
    void payloads_break_between_ids_only_where_they_must() {
        assertEquals(List.of(), Notifications.payloads(List.of()));
        assertEquals(List.of("7"), Notifications.payloads(List.of(7L)));
        List<Long> longest =
                LongStream.range(0, 1000).map(i -> Long.MAX_VALUE - i).boxed().toList();
        List<String> payloads = Notifications.payloads(longest);
        assertEquals(3, payloads.size());
        assertEquals(
                longest,
                payloads.stream()
                        .flatMap(payload -> Arrays.stream(payload.split(",")))
                        .map(Long::valueOf)
                        .toList());
    }

    @Test
    void two_batches_with_the_same_names_in_opposite_order_store_each_name_once() {
        List<NewTask> forth =
                IntStream.range(0, 2000).mapToObj(i -> task("n" + i)).toList();
        List<NewTask> back =
                IntStream.range(0, 2000).mapToObj(i -> task("n" + (1999 - i))).toList();
        CompletableFuture<List<OptionalLong>> one = CompletableFuture.supplyAsync(() -> store.insertAll(forth));
        CompletableFuture<List<OptionalLong>> other = CompletableFuture.supplyAsync(() -> store.insertAll(back));
        List<OptionalLong> all = new java.util.ArrayList<>(one.join());
        all.addAll(other.join());
        assertEquals(2000, all.stream().filter(OptionalLong::isPresent).count());
        assertEquals(2000, new HashSet<>(all).size() - 1);
    }

    @Test
    void simultaneous_upserts_of_one_name_create_it_once() {
        List<CompletableFuture<TaskStore.Stored>> upserts = IntStream.range(0, 8)
                .mapToObj(i ->
                        CompletableFuture.supplyAsync(() -> store.upsert("app", "n", () -> task("n"), move(NOON + i))))
                .toList();
        long created = upserts.stream()
                .map(CompletableFuture::join)
                .filter(TaskStore.Stored::created)
                .count();
        assertEquals(1, created);
        assertEquals(8, store.list(TaskFilter.ALL, 0, 10).get(0).version());
    }

    @Test
    void a_change_raises_the_version_and_tells_the_master() throws SQLException {
        Task task = store.insert(task("n")).orElseThrow();
        notified("twinbell_task");
        Task changed = store.change(task.id(), move(NOON + 5)).orElseThrow();
        assertEquals(2, changed.version());
        assertEquals(OptionalLong.of(NOON + 5), changed.progress().nextFireMillis());
        assertEquals(task.updatedAtMillis(), changed.updatedAtMillis(), "its content is as it was");
        assertEquals(List.of(Long.toString(task.id())), notified("twinbell_task"));
        assertEquals(List.of(), notified("twinbell_ledger"));
    }

    @Test
    void keeping_writes_nothing_and_tells_nobody() throws SQLException {
        Task task = store.insert(task("n")).orElseThrow();
        notified("twinbell_task");
        assertEquals(Optional.of(task), store.change(task.id(), (current, now) -> new TaskChange.Keep()));
        assertEquals(List.of(), notified("twinbell_task"));
    }

    @Test
    void a_decision_that_throws_leaves_everything_as_it_was() throws SQLException {
        Task task = store.insert(task("n")).orElseThrow();
        notified("twinbell_task");
        assertThrows(
                IllegalStateException.class,
                () -> store.change(task.id(), (current, now) -> {
                    throw new IllegalStateException("no");
                }));
        assertEquals(Optional.of(task), store.find(task.id()));
        assertEquals(List.of(), notified("twinbell_task"));
    }

    @Test
    void the_now_of_a_decision_is_the_databases_and_read_after_the_lock() throws SQLException {
        Task task = store.insert(task("n")).orElseThrow();
        try (Connection holder = database.getConnection()) {
            holder.setAutoCommit(false);
            long[] now = new long[1];
            CompletableFuture<?> change;
            long released;
            try (Statement statement = holder.createStatement()) {
                statement.execute("select 1 from twinbell.task_state for update");
                change = CompletableFuture.runAsync(() -> store.change(task.id(), (current, nowMillis) -> {
                    now[0] = nowMillis;
                    return new TaskChange.Keep();
                }));
                awaitWaiter();
                released = Long.parseLong(text("select twinbell.now_millis()"));
                holder.rollback();
            }
            change.join();
            assertTrue(now[0] >= released, now[0] + " " + released);
        }
    }

    private void awaitWaiter() {
        await().pollInterval(Duration.ofMillis(5))
                .until(() -> !text("select count(*) from pg_stat_activity"
                                + " where wait_event_type = 'Lock' and datname = current_database()")
                        .equals("0"));
    }

    @Test
    void passed_slots_are_left_for_the_master_in_the_same_transaction() throws SQLException {
        Task task = store.insert(task("n")).orElseThrow();
        PassedSlots passed = new PassedSlots(NOON, NOON + 1000, NOON + 3000, 4, Outcome.MISSED, "gone");
        store.change(task.id(), (current, now) -> new TaskChange.Remove(Optional.of(passed)));
        assertTrue(store.find(task.id()).isEmpty());
        assertEquals(
                task.id() + " app n " + NOON + " " + (NOON + 3000) + " 4 MISSED gone",
                text("select concat_ws(' ', task_id, app, name, twinbell.millis(fire_time),"
                        + " twinbell.millis(until_fire_time), slots, state, reason) from twinbell.passed_slots"));
        assertEquals(List.of(""), notified("twinbell_ledger"));
    }

    @Test
    void versions_are_counted_around_and_none_that_is_written_by_hand_stops_edits() throws SQLException {
        Task task = store.insert(task("n")).orElseThrow();
        assertThrows(
                IllegalStateException.class,
                () -> TestPostgres.execute(database, "update twinbell.task_state set version = 9223372036854775807"));
        TestPostgres.execute(database, "update twinbell.task_state set version = 9007199254740991");
        assertEquals(1, store.change(task.id(), move(NOON + 1)).orElseThrow().version());
        assertEquals(2, store.change(task.id(), move(NOON + 2)).orElseThrow().version());
    }

    @Test
    void a_bulk_change_reaches_tasks_behind_ones_that_changed_while_it_waited() throws SQLException {
        store.insertAll(IntStream.range(0, 1100).mapToObj(i -> task("n" + i)).toList());
        TaskFilter active = new TaskFilter(null, null, null, TaskState.ACTIVE, null, null);
        try (Connection holder = database.getConnection()) {
            holder.setAutoCommit(false);
            CompletableFuture<TaskStore.Changed> changed;
            try (Statement statement = holder.createStatement()) {
                statement.execute("update twinbell.task_state set state = 'PAUSED' where task_id % 2 = 0");
                changed = CompletableFuture.supplyAsync(() -> store.changeAll(active, 0, () -> true, move(NOON + 1)));
                awaitWaiter();
                holder.commit();
            }
            assertEquals(new TaskStore.Changed(550, OptionalLong.empty()), changed.join());
        }
        assertFalse(store.list(active, 0, 1).isEmpty());
        assertEquals("550", text("select count(*) from twinbell.task_state where version = 2"));
    }

    @Test
    void a_bulk_change_that_ends_early_goes_on_where_it_ended() throws SQLException {
        store.insertAll(IntStream.range(0, 1100).mapToObj(i -> task("n" + i)).toList());
        List<Long> changed = new ArrayList<>();
        long after = 0;
        TaskStore.Changed part;
        do {
            part = store.changeAll(TaskFilter.ALL, after, () -> false, move(NOON + 1));
            changed.add(part.tasks());
            after = part.lastId().orElse(0);
        } while (part.lastId().isPresent());
        assertEquals(List.of(500L, 500L, 100L), changed);
        assertEquals("1100", text("select count(*) from twinbell.task_state where version = 2"));
    }
}
