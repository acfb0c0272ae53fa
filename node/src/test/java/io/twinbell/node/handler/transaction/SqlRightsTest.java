package io.twinbell.node.handler.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariDataSource;
import io.twinbell.node.engine.handler.AttemptReports;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.handler.Parking;
import io.twinbell.node.engine.handler.RunAttributes;
import io.twinbell.node.engine.handler.RunLog;
import io.twinbell.node.handler.Handlers;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.handler.http.HttpCalls;
import io.twinbell.node.handler.store.CompletingTransactions;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.template.SqlTemplate;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.testing.SqlTaskRole;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** What the statements of a task cannot do, whatever they say. Dynamic SQL stands for all that the text does not show. */
class SqlRightsTest {
    private static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();

    private final TestTasks tasks = new TestTasks(DATABASE);
    private final DatabaseSettings settings = TestSettings.of(DATABASE, "a");
    private final DedicatedConnection connection = new DedicatedConnection(settings, "epoch", 5);
    private final HikariDataSource pool = new HikariDataSource();
    private SqlRole role;
    private Handlers handlers;
    private Epoch epoch;

    @BeforeEach
    void prepare() {
        tasks.execute(SqlTaskRole.CREATE);
        tasks.execute("delete from twinbell.execution; drop table if exists note; create table note (line text);"
                + " grant all on note to " + SqlTaskRole.NAME
                + "; create or replace function run(query text) returns void"
                + " language plpgsql as $$ begin execute query; end $$");
        JdbcEpochRegister register = new JdbcEpochRegister(settings, connection);
        epoch = TestSettings.openEpoch(register, settings, register.read().epoch());
        claim(HttpCalls.SLOT.taskId());
        claim(8);
        role = new SqlRole(DATABASE);
        pool.setDataSource(DATABASE);
        pool.setMaximumPoolSize(2);
        handlers = new Handlers(
                new HandlerConfig(
                        HandlerConfig.HttpHandler.DEFAULT,
                        HandlerConfig.JavaHandler.DEFAULT,
                        new HandlerConfig.SqlHandler(true, 2, SqlRole.LOGIN),
                        HandlerConfig.DEFAULT.shell(),
                        Map.of()),
                Map.of(),
                () -> HttpCalls.NOW_MILLIS,
                new CompletingTransactions(pool, role.restricted(), () -> HttpCalls.NOW_MILLIS),
                List.of());
    }

    private void claim(long task) {
        tasks.execute(
                "insert into twinbell.execution (task_id, fire_time, app, name, state, attempt, epoch, node) values ("
                        + task + ", '2026-03-29T01:00:00Z', 'app', 'name', 'CLAIMED', 3, " + epoch.number() + ", 'a')");
    }

    @AfterEach
    void close() {
        tasks.execute("alter role " + SqlTaskRole.NAME + " reset all");
        handlers.close();
        role.close();
        pool.close();
        connection.close();
    }

    /** Runs it inside a function, where no look at the statement finds it. */
    private static String hidden(String query) {
        return "select run('" + query.replace("'", "''") + "')";
    }

    private HandlerOutcome run(Duration timeout, String... statements) {
        HandlerSpec.Sql spec = new HandlerSpec.Sql(
                Stream.of(statements).map(SqlTemplate::parse).toList(), Map.of());
        HandlerCall call = new HandlerCall(
                HttpCalls.SLOT,
                "app",
                "name",
                List.of(),
                3,
                epoch,
                spec,
                null,
                HttpCalls.FIRE_MILLIS * 1000,
                timeout,
                new AttemptReports(),
                new RunAttributes(),
                Parking.NONE,
                new RunLog("app", "name", HttpCalls.SLOT, 3, epoch));
        try {
            return handlers.start(call).toCompletableFuture().get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private HandlerOutcome run(String... statements) {
        return run(null, statements);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select * from twinbell.epoch for update",
                "select owner_token from twinbell.epoch",
                "update twinbell.task_state set next_fire_time = null returning 1",
                "select count(*) from twinbell.execution",
                "select twinbell.add_task('a', 'b', '{\"in\": \"PT1S\"}', '{\"type\": \"log\"}')",
                "select twinbell.admit_sql_role('sql_task')",
                "select set_config('role', 'postgres', true)",
                "set session authorization postgres",
                "lock table twinbell.task_state in access exclusive mode",
                "copy note to program 'cat > /tmp/note'",
                "set session_replication_role = replica",
                "select pg_read_file('/etc/passwd')"
            })
    void a_statement_that_leaves_its_role_first_still_has_none_of_the_schedulers_rights(String query) {
        String error = run(hidden("select set_config('role', 'none', true)"), hidden(query))
                .error();
        assertTrue(error != null && error.contains("permission denied"), error);
        assertEquals(List.of("CLAIMED", "CLAIMED"), states());
    }

    @Test
    void no_statement_completes_an_execution_not_even_its_own() {
        for (long task : new long[] {HttpCalls.SLOT.taskId(), 8}) {
            String error = run(hidden("select twinbell.complete_sql_task(" + task + ", " + HttpCalls.FIRE_MILLIS
                            + ", 3, " + epoch.number() + ", 1, 1, 'forged', decode(repeat('00', 32), 'hex'))"))
                    .error();
            assertTrue(error.contains("only the node that runs an execution can complete it"), error);
        }
        assertEquals(List.of("CLAIMED", "CLAIMED"), states());
    }

    @Test
    void an_execution_is_completed_once_and_no_other_with_it() {
        assertEquals(
                ExecutionState.SUCCEEDED, run("insert into note values ('a')").state());
        assertEquals(List.of("SUCCEEDED", "CLAIMED"), states());
        assertTrue(run("insert into note values ('b')").error().contains("had ended before"));
        tasks.assertRows("select line from note", "a");
    }

    @Test
    void a_statement_can_not_give_the_next_one_more_time_or_another_place_to_look() {
        String error = run(
                        Duration.ofSeconds(2),
                        hidden("select set_config('statement_timeout', '0', false),"
                                + " set_config('search_path', 'pg_temp', false)"),
                        "insert into note values ('found')",
                        "select pg_sleep(60)")
                .error();
        assertTrue(error.contains("statement timeout"), error);
    }

    @Test
    void session_state_left_by_a_task_does_not_reach_the_next() {
        run(
                hidden("select pg_advisory_lock(4711), set_config('application_name', 'somebody else', false),"
                        + " set_config('work_mem', '64kB', false)"),
                "notify nobody");
        assertEquals(0, tasks.number("select count(*) from pg_locks where locktype = 'advisory' and objid = 4711"));
        tasks.execute("update twinbell.execution set state = 'CLAIMED' where task_id = " + HttpCalls.SLOT.taskId());
        run("insert into note select current_setting('application_name') || ' ' || current_setting('work_mem')");
        tasks.assertRows("select line from note", "twinbell/test/sql 4MB");
    }

    @Test
    void the_isolation_level_is_read_committed_whatever_the_role_says() {
        tasks.execute("alter role " + SqlTaskRole.NAME + " set default_transaction_isolation = 'serializable'");
        tasks.execute("alter role " + SqlTaskRole.NAME + " set default_transaction_read_only = on");
        run("insert into note select current_setting('transaction_isolation')");
        tasks.assertRows("select line from note", "read committed");
    }

    @Test
    void a_role_with_rights_on_the_schedulers_tables_runs_nothing() {
        tasks.execute("grant select on twinbell.epoch to " + SqlTaskRole.NAME);
        try {
            String error = run("insert into note values ('a')").error();
            assertTrue(error.contains("has rights on twinbell.epoch"), error);
        } finally {
            tasks.execute("revoke all on twinbell.epoch from " + SqlTaskRole.NAME);
        }
        assertEquals(0, tasks.number("select count(*) from note"));
    }

    private List<String> states() {
        return tasks.query("select state from twinbell.execution order by task_id");
    }
}
