package io.twinbell.node.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.calendar.store.LaggingTasks;
import io.twinbell.node.compile.store.JdbcSqlArrivalSource;
import io.twinbell.node.compile.store.SqlArrivalSource;
import io.twinbell.node.limit.store.AppQuota;
import io.twinbell.node.limit.store.AppQuotaStore;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What the quotas of the master allow and refuse, for tasks that applications add by SQL. */
class AppQuotasTest {
    private static final String QUOTA_EXCEEDED = "54T01";

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final DatabaseSettings settings = TestSettings.of(database, "a");

    @AutoClose
    private final DedicatedConnection connection = new DedicatedConnection(settings, "test", 5);

    private final HandTicker ticker = new HandTicker();
    private Epoch epoch = TestSettings.openEpoch(new JdbcEpochRegister(settings, connection), settings, 0);

    private AppQuotas master(AppQuota quota) {
        AppQuotas quotas = new AppQuotas(
                new AppQuotaStore(connection), quota, ticker, () -> epoch, new Loop("test", new HandTicker()));
        quotas.step();
        return quotas;
    }

    private void add(String app, String prefix, int count, String data) throws SQLException {
        execute("select twinbell.add_task('" + app + "', '" + prefix + "' || i, '{\"every\":\"PT1H\"}',"
                + " '{\"type\":\"log\",\"message\":\"x\"}', jsonb_build_object('data', repeat('" + data + "', 100)))"
                + " from generate_series(1, " + count + ") i");
    }

    private void execute(String sql) throws SQLException {
        try (Connection application = database.getConnection()) {
            application.createStatement().execute(sql);
        }
    }

    private String refusal(String app, String prefix, int count, String data) {
        SQLException refused = assertThrows(SQLException.class, () -> add(app, prefix, count, data));
        assertEquals(QUOTA_EXCEEDED, refused.getSQLState(), refused.getMessage());
        return refused.getMessage().lines().findFirst().orElseThrow();
    }

    @Test
    void an_app_adds_tasks_up_to_its_quota_and_other_apps_are_not_affected() throws SQLException {
        AppQuotas quotas = master(new AppQuota(3, 0, 0));
        add("shop", "a", 2, "x");
        assertEquals(
                "ERROR: quotas.tasks allows app \"shop\" 3 tasks; it has 3, and this adds 1",
                refusal("shop", "b", 2, "x"));
        assertEquals(2, tasks.number("select count(*) from twinbell.task"), "the statement is refused as a whole");
        add("shop", "c", 1, "x");
        add("billing", "a", 3, "x");
        ticker.pass(Duration.ofMinutes(1));
        quotas.step();
        assertEquals(2, quotas.reached());
        tasks.execute("delete from twinbell.task where app = 'shop' and name = 'c1'");
        add("shop", "d", 1, "x");
    }

    /** One of more than a thousand is not counted with each task before. */
    @Test
    void a_large_quota_is_exact_once_nine_tenths_of_it_are_used() throws SQLException {
        AppQuotas quotas = master(new AppQuota(1100, 0, 0));
        add("shop", "a", 500, "x");
        ticker.pass(Duration.ofMinutes(1));
        quotas.step();
        add("shop", "b", 491, "x");
        ticker.pass(Duration.ofMinutes(1));
        quotas.step();
        add("shop", "c", 109, "x");
        assertEquals(
                "ERROR: quotas.tasks allows app \"shop\" 1100 tasks; it has 1100, and this adds 1",
                refusal("shop", "d", 1, "x"));
    }

    @Test
    void adds_of_the_last_minute_count_although_their_tasks_were_removed() throws SQLException {
        master(new AppQuota(0, 3, 0));
        add("shop", "a", 3, "x");
        tasks.execute("delete from twinbell.task");
        assertEquals(
                "ERROR: quotas.addsPerMinute allows app \"shop\" 3 new tasks a minute; it has 3, and this adds 1",
                refusal("shop", "b", 1, "x"));
        tasks.execute("update twinbell.audit_entry set at = at - interval '61 seconds'");
        add("shop", "b", 3, "x");
    }

    @Test
    void a_change_that_enlarges_a_definition_beyond_the_bytes_is_refused() throws SQLException {
        AppQuotas quotas = master(new AppQuota(0, 0, 10_000));
        add("shop", "a", 2, "x");
        ticker.pass(Duration.ofMinutes(1));
        quotas.step();
        String enlarge = "update twinbell.full_task set definition = jsonb_set(definition, '{data}',"
                + " (select to_jsonb(string_agg(md5(i::text), '')) from generate_series(1, %s) i)) where name = 'a1'";
        SQLException refused = assertThrows(SQLException.class, () -> execute(enlarge.formatted(400)));
        assertEquals(QUOTA_EXCEEDED, refused.getSQLState());
        assertTrue(
                refused.getMessage().contains("quotas.megabytes allows app \"shop\" 10000 bytes"),
                refused.getMessage());
        execute(enlarge.formatted(20));
    }

    /** The master writes the definition anew, with defaults, after the task was accepted. */
    @Test
    void a_task_that_was_accepted_is_received_although_its_definition_grows() throws SQLException {
        master(new AppQuota(0, 0, 2000));
        add("shop", "a", 1, "x");
        tasks.execute("update twinbell.app_quota set bytes = 1");
        assertEquals(1, new JdbcSqlArrivalSource(connection).receive(10, new SqlArrivalSource.ArrivalDecider() {
                    @Override
                    public TaskChange arrived(SqlArrivalSource.Arrival arrival) {
                        return grown(arrival.task());
                    }

                    @Override
                    public Optional<PassedSlots> removed(SqlArrivalSource.Removal removal) {
                        return Optional.empty();
                    }
                }));
        new LaggingTasks(database).changeDefaulted(null, 0, (task, atMillis) -> grown(task));
        tasks.assertRows(
                "select s.state, t.definition ->> 'grown' from twinbell.full_task t"
                        + " join twinbell.task_state s on s.task_id = t.id",
                "ACTIVE|2");
    }

    private static TaskChange grown(Task task) {
        TaskContent content = task.content();
        String end = content.definition().contains("grown") ? ", \"grown\": 2}" : ", \"origins\": {}, \"grown\": 1}";
        return new TaskChange.Rewrite(
                new TaskContent(
                        content.app(),
                        content.name(),
                        content.owner(),
                        content.tags(),
                        content.handlerType(),
                        content.handlerKey(),
                        content.definition().replaceFirst("}$", end)),
                task.progress(),
                Optional.empty());
    }

    @Test
    void a_task_that_moves_to_another_app_counts_there() throws SQLException {
        master(new AppQuota(1, 0, 0));
        add("shop", "a", 1, "x");
        add("billing", "b", 1, "x");
        SQLException refused = assertThrows(
                SQLException.class, () -> execute("update twinbell.task set app = 'billing' where name = 'a1'"));
        assertEquals(QUOTA_EXCEEDED, refused.getSQLState());
    }

    @Test
    void a_master_without_quotas_removes_those_of_its_predecessor() throws SQLException {
        master(new AppQuota(1, 1, 1));
        master(AppQuota.NONE);
        add("shop", "a", 5, "x");
        assertEquals(5, tasks.number("select count(*) from twinbell.task"));
    }

    @Test
    void a_superseded_master_changes_no_quota() throws SQLException {
        master(new AppQuota(1, 0, 0));
        Epoch old = epoch;
        epoch = new JdbcEpochRegister(settings, connection)
                .open(old.number(), new Claimant("b", settings.incarnation(), 2, 0), "test")
                .orElseThrow();
        master(new AppQuota(7, 0, 0));
        epoch = old;
        master(AppQuota.NONE);
        assertEquals(7, tasks.number("select tasks from twinbell.app_quota"));
    }
}
