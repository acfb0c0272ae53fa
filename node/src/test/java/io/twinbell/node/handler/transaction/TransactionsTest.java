package io.twinbell.node.handler.transaction;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariDataSource;
import io.twinbell.handler.SnoozeException;
import io.twinbell.handler.TaskHandler;
import io.twinbell.handler.TransactionalHandler;
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
import io.twinbell.node.json.StrictJson;
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
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.MDC;

/** Work in the transaction that completes its execution, on a real database. */
@Timeout(60)
class TransactionsTest {
    private static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();
    private static final String COUNT = "update counter set n = n + 1";

    private final TestTasks tasks = new TestTasks(DATABASE);
    private final DatabaseSettings settings = TestSettings.of(DATABASE, "a");
    private final DedicatedConnection connection = new DedicatedConnection(settings, "epoch", 5);
    private final JdbcEpochRegister register = new JdbcEpochRegister(settings, connection);
    private final HikariDataSource pool = new HikariDataSource();
    private final Map<String, TaskHandler> registered = new java.util.HashMap<>();
    private SqlRole sqlRole;
    private final RunAttributes attributes = new RunAttributes();
    private Handlers handlers;
    private Epoch epoch;

    @BeforeEach
    void prepare() {
        TestPostgres.execute(
                DATABASE,
                "delete from twinbell.execution; drop table if exists counter, seen; create table counter (n int);"
                        + " insert into counter values (0); create table seen (slot text, fired timestamptz,"
                        + " attempt int,"
                        + " id bigint, price numeric, flag boolean, doc jsonb, nothing text)");
        epoch = openEpoch();
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, attempt, epoch, node)"
                + " values (7, '2026-03-29T01:00:00Z', 'app', 'name', 'CLAIMED', 3, " + epoch.number() + ", 'a')");
        tasks.execute(SqlTaskRole.CREATE);
        tasks.execute("grant all on counter, seen to " + SqlTaskRole.NAME);
        sqlRole = new SqlRole(DATABASE);
        pool.setDataSource(DATABASE);
        pool.setMaximumPoolSize(4);
    }

    private Epoch openEpoch() {
        return TestSettings.openEpoch(register, settings, register.read().epoch());
    }

    @AfterEach
    void close() {
        handlers.close();
        pool.close();
        sqlRole.close();
        connection.close();
    }

    @Test
    void statements_take_effect_together_with_the_success() {
        HandlerOutcome outcome = run(COUNT, "update counter set n = n + 10");
        assertEquals(HandlerOutcome.committed("{\"rows\":[1, 1]}"), outcome);
        assertEquals(11, counter());
        tasks.assertRows(
                "select state || ' ' || output || ' ' || (started_at is not null) || ' ' || (ended_at is not"
                        + " null) from twinbell.execution",
                "SUCCEEDED {\"rows\":[1, 1]} true true");
    }

    @Test
    void a_statement_that_fails_undoes_those_before_it_and_says_why() {
        String error = run(COUNT, "update nowhere set x = 1").error();
        assertTrue(error.startsWith("rolled back: ERROR: relation \"nowhere\" does not exist"), error);
        assertEquals(0, counter());
        assertEquals(List.of("CLAIMED"), state());
    }

    @Test
    void a_constraint_that_was_deferred_fails_before_the_success_is_written() {
        tasks.execute("drop table if exists pair; create table pair (a int primary key, b int references pair"
                + " deferrable initially deferred); grant all on pair to " + SqlTaskRole.NAME);
        assertTrue(run(COUNT, "insert into pair values (1, 2)").error().contains("foreign key"));
        assertEquals(0, counter());
        assertEquals(List.of("CLAIMED"), state());
    }

    @Test
    void parameters_take_the_type_of_their_place() {
        String data = "{\"id\":12345678901,\"price\":1.50,\"flag\":true,\"doc\":{\"a\":[\"'; drop table seen;"
                + " --\"]},\"none\":null}";
        HandlerSpec.Sql spec = new HandlerSpec.Sql(
                List.of(SqlTemplate.parse("insert into seen values (:slot, :fireTime, :attempt, :data.id, :data.price,"
                        + " :data.flag, :data.doc, :data.none)")),
                Map.of());
        assertEquals(ExecutionState.SUCCEEDED, start(spec, data).join().state());
        tasks.assertRows(
                "select (slot, (fired = '2026-03-29T01:00:00Z')::int, attempt, id, price, flag, doc,"
                        + " nothing)::text" + " from seen",
                "(7/2026-03-29T01:00:00.000Z,1,3,12345678901,1.50,t,\"{\"\"a\"\": [\"\"'; drop table seen;"
                        + " --\"\"]}\",)");
    }

    @Test
    void a_task_has_parameters_of_its_own_and_a_query_counts_its_rows() {
        HandlerSpec.Sql spec = new HandlerSpec.Sql(
                List.of(SqlTemplate.parse("select * from generate_series(1, :many)")),
                Map.of("many", StrictJson.readStored("2500")));
        assertEquals(
                HandlerOutcome.committed("{\"rows\":2500}"), start(spec, null).join());
    }

    @Test
    void a_master_that_was_superseded_meanwhile_has_done_nothing() throws Exception {
        CountDownLatch working = new CountDownLatch(1);
        CountDownLatch superseded = new CountDownLatch(1);
        CompletableFuture<HandlerOutcome> run = transactional(context -> {
            count(context.connection());
            working.countDown();
            superseded.await();
            return null;
        });
        working.await();
        // The work holds no lock on the epoch row, so a promotion does not wait for it.
        openEpoch();
        superseded.countDown();
        assertTrue(
                run.join().error().contains("the epoch was superseded"),
                run.join().error());
        assertEquals(0, counter());
        assertEquals(List.of("CLAIMED"), state());
    }

    @Test
    void work_whose_execution_was_settled_meanwhile_is_undone() {
        CompletableFuture<HandlerOutcome> run = transactional(context -> {
            count(context.connection());
            tasks.execute("update twinbell.execution set state = 'TIMED_OUT'");
            return null;
        });
        assertTrue(
                run.join().error().contains("had ended before the commit"),
                run.join().error());
        assertEquals(0, counter());
        assertEquals(List.of("TIMED_OUT"), state());
    }

    @Test
    void a_statement_that_is_cancelled_ends_at_the_server_and_its_connection_is_not_used_again() {
        CompletableFuture<HandlerOutcome> run = start(COUNT, "select pg_sleep(600)");
        await().until(() -> sleeping() == 1);
        run.cancel(true);
        await().until(() -> sleeping() == 0);
        assertEquals(0, counter());
        assertEquals(HandlerOutcome.committed("{\"rows\":1}"), start(COUNT).join());
    }

    @Test
    void a_handler_that_ignores_a_cancel_loses_its_connection_and_commits_nothing() throws Exception {
        CountDownLatch stubborn = new CountDownLatch(1);
        CountDownLatch counted = new CountDownLatch(1);
        CompletableFuture<HandlerOutcome> run = transactional(context -> {
            count(context.connection());
            counted.countDown();
            boolean done = false;
            while (!done) {
                try {
                    stubborn.await();
                    done = true;
                } catch (InterruptedException e) {
                    done = false;
                }
            }
            return null;
        });
        counted.await();
        run.cancel(true);
        await().until(() -> tasks.number("select count(*) from pg_stat_activity where state = 'idle in transaction'"
                        + " and datname = current_database()")
                == 0);
        stubborn.countDown();
        assertEquals(0, counter());
        assertEquals(List.of("CLAIMED"), state());
    }

    @Test
    void a_handler_can_neither_end_the_transaction_nor_close_its_connection() {
        TransactionalHandler[] tries = {
            context -> {
                context.connection().commit();
                return null;
            },
            context -> {
                context.connection().rollback();
                return null;
            },
            context -> {
                context.connection().close();
                return null;
            },
            context -> {
                context.connection().setAutoCommit(true);
                return null;
            },
            context -> {
                try (PreparedStatement statement = context.connection().prepareStatement(COUNT)) {
                    statement.getConnection().commit();
                }
                return null;
            }
        };
        Stream.of(tries).forEach(attempt -> {
            String message = failure(transactional(attempt)).getMessage();
            assertTrue(message.contains("must not be called by the handler"), message);
        });
        assertEquals(0, counter());
        assertEquals(List.of("CLAIMED"), state());
    }

    @Test
    void a_handler_that_commits_by_a_statement_is_found_out_and_fails() {
        String message = failure(transactional(context -> {
                    count(context.connection());
                    try (var statement = context.connection().createStatement()) {
                        statement.execute("commit");
                    }
                    return null;
                }))
                .getMessage();
        assertTrue(message.contains("ended the transaction itself"), message);
        assertEquals(List.of("CLAIMED"), state());
    }

    @Test
    void a_transactional_handler_has_no_checkpoint() {
        Throwable refusal = failure(transactional(context -> {
            context.checkpoint("{}");
            return null;
        }));
        assertEquals(UnsupportedOperationException.class, refusal.getCause().getClass());
        assertEquals(List.of("CLAIMED"), state());
    }

    @Test
    void a_transactional_handler_that_returns_a_stage_is_rolled_back() {
        String message = failure(transactional(context -> {
                    count(context.connection());
                    return CompletableFuture.completedFuture("counted");
                }))
                .getMessage();
        assertTrue(message.contains("must not return a CompletionStage"), message);
        assertEquals(0, counter());
        assertEquals(List.of("CLAIMED"), state());
    }

    @Test
    void a_transactional_handlers_writes_and_output_commit_together() {
        HandlerOutcome outcome = transactional(context -> {
                    var savepoint = context.connection().setSavepoint();
                    count(context.connection());
                    context.connection().rollback(savepoint);
                    count(context.connection());
                    return "counted";
                })
                .join();
        assertEquals(HandlerOutcome.committed("counted"), outcome);
        assertEquals(1, counter());
        assertEquals(List.of("SUCCEEDED"), state());
    }

    @Test
    void a_handler_that_commits_before_it_returns_has_succeeded_whatever_it_does_then() {
        HandlerOutcome outcome = transactional(context -> {
                    count(context.connection());
                    assertTrue(context.commit("counted"));
                    assertEquals(1, counter());
                    assertEquals(List.of("SUCCEEDED"), state());
                    assertTrue(context.connection().isClosed());
                    String late = assertThrows(SQLException.class, () -> count(context.connection()))
                            .getMessage();
                    assertTrue(late.contains("after the transaction of the execution has ended"), late);
                    assertThrows(IllegalStateException.class, () -> context.commit("twice"));
                    throw new IllegalStateException("too late");
                })
                .join();
        assertEquals(ExecutionState.SUCCEEDED, outcome.state());
        assertEquals(1, counter());
        tasks.assertRows("select state || ' ' || output from twinbell.execution", "SUCCEEDED counted");
    }

    @Test
    void a_statement_that_was_prepared_before_the_commit_changes_nothing_after_it() {
        transactional(context -> {
                    PreparedStatement late = context.connection().prepareStatement(COUNT);
                    context.commit(null);
                    assertThrows(SQLException.class, late::executeUpdate);
                    late.close();
                    return null;
                })
                .join();
        assertEquals(0, counter());
        assertEquals(List.of("SUCCEEDED"), state());
    }

    /** The handler may hide what happened: nothing is committed in its place. */
    @Test
    void a_handler_whose_own_commit_fails_or_comes_too_late_has_done_nothing() {
        HandlerOutcome late = transactional(context -> {
                    count(context.connection());
                    openEpoch();
                    assertFalse(context.commit("counted"));
                    return "counted";
                })
                .join();
        assertTrue(late.error().contains("the epoch was superseded"), late.error());
        assertEquals(0, counter());
        tasks.execute("drop table if exists pair; create table pair (a int primary key, b int references pair"
                + " deferrable initially deferred)");
        String broken = failure(transactional(context -> {
                    count(context.connection());
                    context.connection().createStatement().execute("insert into pair values (1, 2)");
                    assertThrows(SQLException.class, () -> context.commit("counted"));
                    return "counted";
                }))
                .getMessage();
        assertTrue(broken.contains("foreign key"), broken);
        assertEquals(0, counter());
        assertEquals(List.of("CLAIMED"), state());
    }

    @Test
    void a_transactional_handler_that_asks_to_run_later_has_written_nothing() {
        HandlerOutcome outcome = transactional(context -> {
                    count(context.connection());
                    throw new SnoozeException(Duration.ofSeconds(5), "not ready");
                })
                .join();
        assertEquals(HandlerOutcome.snoozed(Duration.ofSeconds(5), "not ready"), outcome);
        assertEquals(0, counter());
        assertEquals(List.of("CLAIMED"), state());
    }

    @Test
    void sql_is_off_unless_it_is_configured_but_transactional_code_runs() {
        HandlerOutcome off = start(sql(COUNT), null, new HandlerConfig.SqlHandler(false, 2, null))
                .join();
        assertEquals(HandlerOutcome.failed("REFUSED", SqlRunner.OFF, null), off);
        assertEquals(0, counter());
    }

    private static void count(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(COUNT)) {
            statement.executeUpdate();
        }
    }

    @Test
    void attributes_of_interceptors_are_in_the_log_context_of_a_transaction() {
        attributes.put("tenant", "acme");
        HandlerOutcome outcome = transactional(
                        context -> MDC.get("tenant") + " " + MDC.get("attempt") + " " + context.attribute("tenant"))
                .join();
        assertEquals("acme 3 acme", outcome.output());
    }

    private static CompletionException failure(CompletableFuture<HandlerOutcome> run) {
        return assertThrows(CompletionException.class, run::join);
    }

    private long sleeping() {
        return tasks.number(
                "select count(*) from pg_stat_activity where query = 'select pg_sleep(600)' and state = 'active'");
    }

    private long counter() {
        return tasks.number("select n from counter");
    }

    private List<String> state() {
        return tasks.query("select state from twinbell.execution");
    }

    private static HandlerSpec.Sql sql(String... statements) {
        return new HandlerSpec.Sql(Stream.of(statements).map(SqlTemplate::parse).toList(), Map.of());
    }

    private HandlerOutcome run(String... statements) {
        return start(statements).join();
    }

    private CompletableFuture<HandlerOutcome> start(String... statements) {
        return start(sql(statements), null);
    }

    private CompletableFuture<HandlerOutcome> start(HandlerSpec spec, String data) {
        return start(spec, data, new HandlerConfig.SqlHandler(true, 2, SqlRole.LOGIN));
    }

    private CompletableFuture<HandlerOutcome> transactional(TransactionalHandler handler) {
        registered.put("k", handler);
        return start(new HandlerSpec.JavaCode("k"), null, new HandlerConfig.SqlHandler(false, 2, null));
    }

    private CompletableFuture<HandlerOutcome> start(HandlerSpec spec, String data, HandlerConfig.SqlHandler sql) {
        if (handlers != null) {
            handlers.close();
        }
        handlers = new Handlers(
                new HandlerConfig(
                        HandlerConfig.HttpHandler.DEFAULT,
                        HandlerConfig.JavaHandler.DEFAULT,
                        sql,
                        HandlerConfig.DEFAULT.shell(),
                        Map.of()),
                registered,
                () -> HttpCalls.NOW_MILLIS,
                new CompletingTransactions(pool, sqlRole.restricted(), () -> HttpCalls.NOW_MILLIS),
                List.of());
        HandlerCall call = new HandlerCall(
                HttpCalls.SLOT,
                "app",
                "name",
                List.of(),
                3,
                epoch,
                spec,
                data,
                HttpCalls.FIRE_MILLIS * 1000,
                null,
                new AttemptReports(),
                attributes,
                Parking.NONE,
                new RunLog("app", "name", HttpCalls.SLOT, 3, epoch));
        try {
            return handlers.start(call).toCompletableFuture();
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
