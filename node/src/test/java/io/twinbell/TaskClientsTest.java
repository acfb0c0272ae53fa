package io.twinbell;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.client.BackfillRequest;
import io.twinbell.client.ExecutionSelection;
import io.twinbell.client.ExecutionView;
import io.twinbell.client.HandlerKey;
import io.twinbell.client.HttpTaskClient;
import io.twinbell.client.IfTaskExists;
import io.twinbell.client.JdbcTaskClient;
import io.twinbell.client.MisfirePolicy;
import io.twinbell.client.PairUnavailableException;
import io.twinbell.client.RetryPolicy;
import io.twinbell.client.StoredTask;
import io.twinbell.client.StoredTask.StoreResult;
import io.twinbell.client.TaskAction;
import io.twinbell.client.TaskClient;
import io.twinbell.client.TaskDraft;
import io.twinbell.client.TaskExplanation;
import io.twinbell.client.TaskOutcome;
import io.twinbell.client.TaskRefusedException;
import io.twinbell.client.TaskSchedule;
import io.twinbell.client.TaskScheduling;
import io.twinbell.persistence.testing.TestDouble;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** Both clients beside a real node with typed handlers. */
class TaskClientsTest {
    record Invoice(long number, String customer) {}

    private static final HandlerKey<Invoice> CLOSE = HandlerKey.of("invoice.close", Invoice.class);
    /** Numbers with more digits than a double has, and with zeros at the end. */
    record Amounts(BigDecimal rate, BigDecimal price, BigInteger serial) {
        static final Amounts ONE = new Amounts(
                new BigDecimal("0.12345678901234567890123"),
                new BigDecimal("100.00"),
                new BigInteger("123456789012345678901234567890"));

        static final String JSON =
                "{\"rate\":0.12345678901234567890123,\"price\":100.00," + "\"serial\":123456789012345678901234567890}";
    }

    private static final HandlerKey<Amounts> PAY = HandlerKey.of("invoice.pay", Amounts.class);
    private static final HandlerKey<String> BROKEN = HandlerKey.of("bank.call", String.class);
    private static final Duration SOON = Duration.ofMinutes(1);

    @TempDir
    private static Path directory;

    private static PGSimpleDataSource database;
    private static String zooKeeper;
    private static Twinbell node;
    private static HttpTaskClient http;

    @BeforeAll
    static void start() throws Exception {
        database = TestPostgres.freshDatabase();
        zooKeeper = TestZooKeeper.freshFolder();
        Path token = directory.resolve("admin-token");
        node = TestNodes.builder("a", database, zooKeeper)
                .set("http.adminToken", token.toString())
                .handler(BROKEN, (name, context) -> {
                    if (context.attempt() < 3) {
                        throw new IllegalStateException(name + " does not answer");
                    }
                    return name + " answers again";
                })
                .handler(PAY, (amounts, context) -> amounts)
                .handler(CLOSE, (invoice, context) -> invoice.customer() + " paid " + invoice.number())
                .start();
        assertTrue(node.awaitJoined(SOON), () -> node.joinObstacle().toString());
        http = HttpTaskClient.builder("shop")
                .node(node.url())
                .token(Files.readString(token).strip())
                .traceparent(() -> "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .build();
    }

    @AfterAll
    static void stop() throws Exception {
        node.close();
    }

    private static TaskOutcome outcome(StoredTask task) throws Exception {
        return http.outcome(task, SOON).toCompletableFuture().get(2, TimeUnit.MINUTES);
    }

    @Test
    void a_record_scheduled_over_http_reaches_its_typed_handler() throws Exception {
        TaskOutcome outcome =
                outcome(http.schedule(CLOSE, new Invoice(4711, "Ada")).named("http"));
        assertEquals("SUCCEEDED: Ada paid 4711", outcome.state() + ": " + outcome.output());
    }

    @Test
    void numbers_reach_the_typed_handler_with_all_digits_over_every_way() throws Exception {
        Map<String, StoredTask> tasks = new LinkedHashMap<>();
        tasks.put("http", http.schedule(PAY, Amounts.ONE).named("paid-http"));
        tasks.put(
                "jdbc",
                JdbcTaskClient.of(database, "shop").schedule(PAY, Amounts.ONE).named("paid-jdbc"));
        TaskDraft draft = TaskDraft.of(TaskAction.java(PAY), TaskSchedule.in(Duration.ZERO))
                .data(Amounts.ONE);
        tasks.put("draft", http.put(draft.name("paid-draft"), IfTaskExists.REFUSE));
        String json =
                "{\"schedule\":{\"in\":\"PT0S\"},\"handler\":{\"type\":\"java\",\"key\":\"invoice.pay\"},\"data\":"
                        + Amounts.JSON + "}";
        long byNode = node.tasks().put("shop", "paid-node", json).id();
        tasks.put("node", new StoredTask(byNode, "shop", "paid-node"));
        String sql = "select twinbell.add_task('shop', 'paid-sql', '{\"in\":\"PT0S\"}',"
                + " '{\"type\":\"java\",\"key\":\"invoice.pay\"}', '{\"data\":" + Amounts.JSON + "}')";
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            tasks.put("sql", new StoredTask(row.getLong(1), "shop", "paid-sql"));
        }
        Map<String, String> outputs = new LinkedHashMap<>();
        for (Map.Entry<String, StoredTask> task : tasks.entrySet()) {
            outputs.put(task.getKey(), outcome(task.getValue()).output());
        }
        http.schedule(PAY, null).in(Duration.ofDays(1)).named("paid-now");
        String triggered = http.trigger("paid-now", "with other data", PAY, Amounts.ONE);
        outputs.put(
                "trigger",
                http.outcomeOf(triggered, SOON)
                        .toCompletableFuture()
                        .get(2, TimeUnit.MINUTES)
                        .output());
        assertEquals(Set.of(Amounts.ONE.toString()), Set.copyOf(outputs.values()), outputs::toString);
        assertEquals(6, outputs.size());
    }

    @Test
    void a_key_that_no_node_has_is_in_the_log_of_the_program_that_schedules() {
        Queue<String> messages = new ConcurrentLinkedQueue<>();
        Logger log = Logger.getLogger(TaskClient.class.getName());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                messages.add(line.getLevel() + " " + line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        log.addHandler(handler);
        HandlerKey<Invoice> wrong = HandlerKey.of("invoice.clsoe", Invoice.class);
        Invoice invoice = new Invoice(3, "Di");
        try {
            for (TaskClient tasks : List.of(JdbcTaskClient.of(database, "shop"), http)) {
                String name = "wrong-" + tasks.getClass().getSimpleName();
                tasks.schedule(CLOSE, invoice).in(Duration.ofDays(2)).named("right-" + name);
                tasks.schedule(wrong, invoice).in(Duration.ofDays(2)).named(name);
                TaskDraft draft = TaskDraft.of(TaskAction.java(wrong), TaskSchedule.in(Duration.ofDays(2)));
                tasks.addAll(List.of(draft.name(name + "-2"), draft.name(name + "-3")), IfTaskExists.REFUSE);
            }
        } finally {
            log.removeHandler(handler);
        }
        String warning = "WARNING a task was stored, but no node has a java handler with the key \"invoice.clsoe\"";
        String hint = ": the slots wait up to 15 minutes for a master that has it";
        assertEquals(List.of(warning, warning, warning + hint, warning + hint), List.copyOf(messages));
    }

    @Test
    void a_refusal_of_one_task_names_no_place_in_a_list_and_no_function() {
        TaskDraft draft = TaskDraft.of(TaskAction.java(CLOSE), TaskSchedule.in(Duration.ofDays(2)))
                .owner("a\u2028b")
                .name("never");
        for (TaskClient client : List.of(http, JdbcTaskClient.of(database, "shop"))) {
            TaskRefusedException refusal =
                    assertThrows(TaskRefusedException.class, () -> client.put(draft, IfTaskExists.REFUSE));
            assertFalse(refusal.getMessage().matches("(?s).*(/0|PL/pgSQL|ERROR).*"), refusal::getMessage);
            assertTrue(refusal.getMessage().contains("control characters"), refusal::getMessage);
        }
    }

    @Test
    void what_only_the_master_can_refuse_is_refused_to_whoever_awaits_it() throws Exception {
        JdbcTaskClient client = JdbcTaskClient.of(database, "shop");
        StoredTask good = client.schedule(CLOSE, new Invoice(1, "Bob"))
                .in(Duration.ofDays(2))
                .named("good");
        assertTrue(client.await(good, Duration.ofSeconds(30)));
        StoredTask never = client.schedule(CLOSE, new Invoice(1, "Bob"))
                .on(TaskSchedule.cron("61 2 * * *"))
                .named("never");
        TaskRefusedException refusal =
                assertThrows(TaskRefusedException.class, () -> client.await(never, Duration.ofSeconds(30)));
        assertEquals(400, refusal.status());
        assertTrue(refusal.getMessage().contains("0 to 59"), refusal::getMessage);
        assertFalse(refusal.getMessage().contains("PL/pgSQL"), refusal::getMessage);
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            JdbcTaskClient within = JdbcTaskClient.within(connection, "shop");
            StoredTask uncommitted = within.schedule(CLOSE, new Invoice(1, "Bob"))
                    .in(Duration.ofDays(2))
                    .named("uncommitted");
            assertEquals(
                    409,
                    assertThrows(TaskRefusedException.class, () -> within.await(uncommitted, Duration.ofSeconds(1)))
                            .status());
        }
    }

    @Test
    void a_client_of_a_database_without_the_schema_says_that_no_node_has_created_it() {
        PairUnavailableException failure = assertThrows(
                PairUnavailableException.class,
                () -> JdbcTaskClient.of(TestPostgres.emptyDatabase(), "shop").cancel("never"));
        assertTrue(
                failure.getMessage().startsWith("no node has created this schema yet: schema \"twinbell\""),
                failure::getMessage);
        assertFalse(failure.isMaybeDone());
    }

    @Test
    void a_record_scheduled_in_a_transaction_runs_after_the_commit_only() throws Exception {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            JdbcTaskClient tasks = JdbcTaskClient.within(connection, "shop");
            tasks.schedule(CLOSE, new Invoice(1, "Bob")).named("rolled-back");
            connection.rollback();
            StoredTask stored = tasks.schedule(CLOSE, new Invoice(2, "Cy")).named("committed");
            connection.commit();
            assertEquals("Cy paid 2", outcome(stored).output());
        }
        assertTrue(http.find("rolled-back").isEmpty());
    }

    @Test
    void a_connection_that_refuses_auto_commit_goes_back_to_its_pool() throws Exception {
        try (Connection busy = database.getConnection()) {
            busy.setAutoCommit(false);
            AtomicInteger closed = new AtomicInteger();
            JdbcTaskClient tasks = JdbcTaskClient.of(inTransaction(busy, closed), "shop");
            assertThrows(PairUnavailableException.class, () -> tasks.cancel("never"));
            assertEquals(1, closed.get());
        }
    }

    @Test
    void a_data_source_that_knows_the_transaction_schedules_in_it() throws Exception {
        try (Connection transaction = database.getConnection()) {
            transaction.setAutoCommit(false);
            AtomicInteger closed = new AtomicInteger();
            JdbcTaskClient tasks = JdbcTaskClient.withinTransactionsOf(inTransaction(transaction, closed), "shop");
            tasks.schedule(CLOSE, new Invoice(3, "Di")).in(Duration.ofHours(1)).named("undone");
            assertEquals(1, closed.get());
            transaction.rollback();
            tasks.schedule(CLOSE, new Invoice(4, "Ed")).in(Duration.ofHours(1)).named("done");
            assertTrue(http.find("done").isEmpty());
            transaction.commit();
        }
        assertTrue(http.find("undone").isEmpty());
        assertTrue(http.find("done").isPresent());
    }

    private static DataSource inTransaction(Connection transaction, AtomicInteger closed) {
        return new PGSimpleDataSource() {
            private static final long serialVersionUID = 1;

            @Override
            public Connection getConnection() {
                return refusingAutoCommit(transaction, closed);
            }
        };
    }

    /** As a connection does that is already part of a distributed transaction. */
    private static Connection refusingAutoCommit(Connection real, AtomicInteger closed) {
        return TestDouble.of(Connection.class, (method, arguments) -> {
            if (method.getName().equals("setAutoCommit")) {
                throw new SQLException("auto-commit is not allowed here");
            }
            if (method.getName().equals("close")) {
                closed.incrementAndGet();
                return null;
            }
            return method.invoke(real, arguments);
        });
    }

    @Test
    void a_payload_that_cannot_be_read_fails_with_the_reason_and_without_a_retry() throws Exception {
        TaskDraft task = TaskDraft.of(TaskAction.java(CLOSE), TaskSchedule.in(Duration.ZERO))
                .dataJson("{\"number\":\"many\",\"customer\":\"Di\"}")
                .retry(RetryPolicy.attempts(5));
        TaskOutcome outcome = outcome(http.put(task.name("unreadable"), IfTaskExists.REFUSE));
        assertEquals(
                "FAILED UNREADABLE_PAYLOAD 1", outcome.state() + " " + outcome.errorCode() + " " + outcome.attempt());
        assertEquals("not tried again, because the payload cannot be read", outcome.reason());
        assertTrue(outcome.error().contains("number has a wrong value, of the JSON type string"), outcome::error);
        assertFalse(outcome.error().contains("many"), outcome::error);
    }

    @Test
    void a_task_is_rescheduled_found_paused_listed_and_cancelled() {
        http.schedule(CLOSE, new Invoice(1, "Eve")).in(Duration.ofHours(1)).named("life");
        Instant first = http.find("life").orElseThrow().nextFireTime();
        assertTrue(first.isBefore(
                http.reschedule("life", TaskSchedule.in(Duration.ofHours(5))).nextFireTime()));
        assertEquals("PAUSED", http.pause("life", "stocktaking").state());
        assertEquals("ACTIVE", http.resume("life").state());
        assertTrue(http.list(1000, null).items().stream()
                .anyMatch(task -> task.name().equals("life")));
        assertTrue(http.cancel("life"));
        assertFalse(http.cancel("life"));
    }

    @Test
    void a_cancellation_after_the_run_comes_too_late() throws Exception {
        for (TaskClient client : List.of(http, JdbcTaskClient.of(database, "shop"))) {
            StoredTask done = client.schedule(CLOSE, new Invoice(1, "Eve")).named("late");
            http.outcome(done, SOON).toCompletableFuture().get(2, TimeUnit.MINUTES);
            assertFalse(client.cancel("late"));
            assertTrue(http.find("late").isPresent(), "a late cancellation changes nothing");
        }
    }

    @Test
    void a_triggered_execution_can_be_awaited() throws Exception {
        http.schedule(CLOSE, new Invoice(5, "Flo")).in(Duration.ofHours(1)).named("by-hand");
        TaskOutcome outcome = http.outcomeOf(http.trigger("by-hand"), SOON)
                .toCompletableFuture()
                .get(2, TimeUnit.MINUTES);
        assertEquals("Flo paid 5", outcome.output());
    }

    @Test
    void a_run_with_a_note_and_other_data_is_triggered_over_http_and_in_the_program() throws Exception {
        http.schedule(CLOSE, new Invoice(6, "Hal")).in(Duration.ofHours(1)).named("other-data");
        assertEquals(
                "Ida paid 7, triggered: asked by Ida",
                outcomeAndReason(http.trigger("other-data", "asked by Ida", CLOSE, new Invoice(7, "Ida"))));
        assertEquals(
                "Jo paid 8, triggered: asked by Jo",
                outcomeAndReason(node.tasks()
                        .trigger("shop", "other-data", "asked by Jo", CLOSE.write(new Invoice(8, "Jo")))
                        .orElseThrow()));
        assertEquals(
                "Hal paid 6, triggered",
                outcomeAndReason(node.tasks().trigger("shop", "other-data").orElseThrow()));
        assertEquals("Hal paid 6, triggered: again", outcomeAndReason(http.trigger("other-data", "again")));

        assertTrue(node.tasks().trigger("shop", "unknown").isEmpty());
        assertEquals(
                404,
                assertThrows(TaskRefusedException.class, () -> http.trigger("unknown"))
                        .status());
        Tasks tasks = node.tasks();
        String twoLines = "two\nlines";
        assertThrows(IllegalArgumentException.class, () -> tasks.trigger("shop", "other-data", twoLines, null));
        assertThrows(IllegalArgumentException.class, () -> tasks.trigger("shop", "other-data", null, "{"));
        String tooLong = "\"" + "x".repeat(64 * 1024) + "\"";
        assertThrows(IllegalArgumentException.class, () -> tasks.trigger("shop", "other-data", null, tooLong));
    }

    private static String outcomeAndReason(String executionId) throws Exception {
        TaskOutcome outcome =
                http.outcomeOf(executionId, SOON).toCompletableFuture().get(2, TimeUnit.MINUTES);
        return outcome.output() + ", " + outcome.reason();
    }

    @Test
    void a_run_triggered_in_a_transaction_begins_after_the_commit_only() throws Exception {
        http.schedule(CLOSE, new Invoice(9, "Kim")).in(Duration.ofHours(1)).named("in-transaction");
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            Tasks joined = node.tasks().in(connection);
            joined.trigger("shop", "in-transaction").orElseThrow();
            joined.ping("shop", "in-transaction").orElseThrow();
            connection.rollback();
            String id = joined.trigger("shop", "in-transaction").orElseThrow();
            connection.commit();
            assertEquals("Kim paid 9, triggered", outcomeAndReason(id));
        }
        TestTasks tables = new TestTasks(database);
        String count = "select count(*) from twinbell.%s x join twinbell.task t on t.id = x.task_id"
                + " where t.name = 'in-transaction'";
        tables.assertRows(count.formatted("execution"), "1");
        tables.assertRows(count.formatted("task_ping"), "0");
    }

    @Test
    void past_slots_are_backfilled_over_http_and_in_the_program() throws Exception {
        http.schedule(CLOSE, new Invoice(10, "Lu"))
                .on(TaskSchedule.cron("0 * * * *"))
                .named("hourly");
        Instant hour = Instant.now().truncatedTo(ChronoUnit.HOURS);
        BackfillRequest day = BackfillRequest.between(hour.minus(Duration.ofHours(5)), hour.minus(Duration.ofHours(2)))
                .reason("the source was empty")
                .pace(Duration.ZERO);
        List<Instant> three = List.of(
                hour.minus(Duration.ofHours(5)), hour.minus(Duration.ofHours(4)), hour.minus(Duration.ofHours(3)));
        BackfillRequest.Entered all = new BackfillRequest.Entered(3, 3, three);
        assertEquals(all, http.backfill("hourly", day.dryRun()));
        assertEquals(Optional.of(all), node.tasks().backfill("shop", "hourly", day.dryRun()));
        assertEquals(Optional.of(all), node.tasks().backfill("shop", "hourly", day));
        assertEquals(new BackfillRequest.Entered(3, 0, List.of()), http.backfill("hourly", day));
        long id = http.find("hourly").orElseThrow().id();
        assertEquals(
                "Lu paid 10, backfilled: the source was empty",
                outcomeAndReason(id + "-" + three.get(0).toEpochMilli()));

        http.pause("hourly", "stocktaking");
        BackfillRequest slow =
                BackfillRequest.between(hour.minus(Duration.ofHours(2)), hour).pace(Duration.ofHours(1));
        assertEquals(
                2, node.tasks().backfill("shop", "hourly", slow).orElseThrow().entered());
        int cancelled = node.tasks().cancelBackfill("shop", "hourly");
        assertTrue(cancelled >= 1, () -> cancelled + " cancelled; the second one starts an hour later");
        http.cancelBackfill("hourly");

        assertTrue(node.tasks().backfill("shop", "unknown", day).isEmpty());
        assertEquals(0, node.tasks().cancelBackfill("shop", "unknown"));
        BackfillRequest tomorrow = BackfillRequest.between(hour, hour.plus(Duration.ofDays(1)));
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> node.tasks().backfill("shop", "hourly", tomorrow));
        assertTrue(refusal.getMessage().contains("must not be later than now"), refusal::getMessage);
        assertEquals(
                400,
                assertThrows(TaskRefusedException.class, () -> http.backfill("hourly", tomorrow))
                        .status());
    }

    @Test
    void failed_executions_are_listed_and_run_again_over_http_and_in_the_program() throws Exception {
        for (String name : List.of("bank-1", "bank-2", "bank-3")) {
            http.schedule(BROKEN, name).named(name);
        }
        ExecutionSelection failed = ExecutionSelection.failed().withErrorCode("HANDLER_EXCEPTION");
        Executions executions = node.executions();
        await().atMost(SOON)
                .until(() -> http.executions(failed, 1000, null).items().size() == 3);

        ExecutionView.Listed page = executions.list("shop", failed, 2, null);
        List<ExecutionView> all = new ArrayList<>(page.items());
        ExecutionView.Listed rest = executions.list("shop", failed, 2, page.next());
        all.addAll(rest.items());
        assertNull(rest.next());
        assertEquals(all, http.executions(failed, 1000, null).items());
        ExecutionView first = executions
                .list("shop", failed.ofTask("bank-1"), 10, null)
                .items()
                .get(0);
        assertEquals("FAILED 1 bank-1", first.state() + " " + first.attempt() + " " + first.name());
        assertTrue(first.error().contains("bank-1 does not answer"), first::error);
        assertEquals(
                List.of(),
                executions
                        .list("shop", failed.until(first.fireTime().minusSeconds(600)), 10, null)
                        .items());
        assertEquals(List.of(), executions.list("other", failed, 10, null).items());

        assertEquals(first.id(), http.rerun(first.id(), "the bank is back").id());
        await().atMost(SOON)
                .until(() -> executions.find("shop", first.id()).orElseThrow().attempt() == 2
                        && executions
                                .find("shop", first.id())
                                .orElseThrow()
                                .state()
                                .equals("FAILED"));
        assertEquals(
                first.id(),
                executions.rerun("shop", first.id(), "once more").orElseThrow().id());
        assertEquals("bank-1 answers again, run again by hand: once more", outcomeAndReason(first.id()));
        assertEquals(2, executions.rerunAll("shop", failed, "the bank is back"));
        await().atMost(SOON)
                .until(() -> executions.list("shop", failed, 10, null).items().stream()
                                .allMatch(each -> each.attempt() == 2)
                        && executions.list("shop", failed, 10, null).items().size() == 2);
        assertEquals(2, http.rerunAll(failed, "the bank is back"));
        await().atMost(SOON)
                .until(() -> executions.list("shop", failed, 10, null).items().isEmpty());

        assertTrue(executions.rerun("other", first.id(), null).isEmpty());
        assertTrue(executions.find("shop", "1-1").isEmpty());
        assertEquals(
                404,
                assertThrows(TaskRefusedException.class, () -> http.rerun("1-1", "no reason"))
                        .status());
        assertThrows(IllegalArgumentException.class, () -> executions.rerun("shop", "first", null));
        for (String id : new String[] {null, "", "1", "1-x", "1-99999999999999999999"}) {
            assertThrows(IllegalArgumentException.class, () -> executions.find("shop", id));
            assertThrows(IllegalArgumentException.class, () -> executions.rerun("shop", id, null));
        }
        assertThrows(IllegalArgumentException.class, () -> executions.rerun("shop", first.id(), "two\nlines"));
        assertThrows(IllegalArgumentException.class, () -> executions.rerun("shop", first.id(), "a\u202eb"));
        assertThrows(IllegalArgumentException.class, () -> executions.rerunAll("shop", failed, "a\u3164b"));
        assertThrows(IllegalArgumentException.class, () -> executions.rerunAll("shop", ExecutionSelection.all(), null));
        assertThrows(IllegalArgumentException.class, () -> executions.list("shop", failed, 0, null));
        IllegalArgumentException unknown = assertThrows(
                IllegalArgumentException.class,
                () -> executions.list("shop", ExecutionSelection.all().inStates("DEAD"), 10, null));
        assertTrue(unknown.getMessage().contains("there is no state DEAD; there are [PENDING"), unknown::getMessage);

        StoredTask later =
                http.schedule(BROKEN, "later").in(Duration.ofHours(1)).named("later");
        String waiting = later.id() + "-"
                + http.find("later").orElseThrow().nextFireTime().toEpochMilli();
        assertTrue(executions.rerun("shop", waiting, null).isEmpty());
        assertTrue(node.tasks().remove("shop", "bank-1"));
        assertThrows(ConflictException.class, () -> executions.rerun("shop", first.id(), null));
    }

    @Test
    void a_ping_is_recorded_and_an_instant_explained_over_http_and_in_the_program() {
        http.schedule(CLOSE, new Invoice(11, "Mo"))
                .on(TaskSchedule.cron("30 2 * * *").zone(ZoneId.of("Europe/Berlin")))
                .named("pinged");
        Tasks tasks = node.tasks();
        Instant first = http.ping("pinged");
        assertFalse(tasks.ping("shop", "pinged").orElseThrow().isBefore(first));
        assertTrue(tasks.ping("shop", "unknown").isEmpty());

        TaskExplanation will = tasks.why("shop", "pinged", "2199-06-10 02:30").orElseThrow();
        assertEquals("WILL_FIRE", will.cause());
        assertEquals("The task will fire at 2199-06-10 02:30:00 Europe/Berlin.", will.sentence());
        assertEquals(Instant.parse("2199-06-10T00:30:00Z"), will.fireTime());
        assertEquals(will, http.why("pinged", "2199-06-10 02:30"));
        assertEquals(will, tasks.why("shop", "pinged", will.fireTime()).orElseThrow());
        assertEquals(
                "NOT_A_FIRE_TIME",
                tasks.why("shop", "pinged", will.fireTime().plusMillis(1))
                        .orElseThrow()
                        .cause());
        assertTrue(tasks.why("shop", "unknown", "2199-06-10 02:30").isEmpty());
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> tasks.why("shop", "pinged", "yesterday"));
        assertTrue(refusal.getMessage().contains("must be an instant"), refusal::getMessage);
    }

    @Test
    void both_clients_store_every_field_and_treat_a_taken_name_alike() {
        TaskDraft task = TaskDraft.of(
                        TaskAction.http("http://127.0.0.1:23001/x")
                                .headers(Map.of("A", "b"))
                                .body("{}"),
                        TaskSchedule.every(Duration.ofHours(1)).mode(TaskSchedule.IntervalMode.FIXED_DELAY))
                .start(Instant.parse("2099-01-01T00:00:00Z"))
                .tags("nightly")
                .owner("ops")
                .misfire(MisfirePolicy.fireAll(3))
                .overlapQueue(2)
                .orphan(TaskDraft.OrphanHandling.RERUN)
                .retry(RetryPolicy.attempts(3).notOn("HTTP_501"))
                .timeout(Duration.ofSeconds(5));
        List<String> definitions = new ArrayList<>();
        for (TaskClient client : List.of(http, JdbcTaskClient.of(database, "shop"))) {
            String name = "all-" + client.getClass().getSimpleName();
            client.put(task.name(name), IfTaskExists.REFUSE);
            TaskRefusedException taken =
                    assertThrows(TaskRefusedException.class, () -> client.put(task.name(name), IfTaskExists.REFUSE));
            assertEquals(409, taken.status());
            client.put(task.name(name), IfTaskExists.KEEP);
            TaskRefusedException wrong = assertThrows(
                    TaskRefusedException.class, () -> client.put(task.name(name).owner(""), IfTaskExists.REPLACE));
            assertEquals(400, wrong.status());
            assertTrue(wrong.getMessage().contains("owner"), wrong::getMessage);
            // A master completes a task that was stored by SQL when it has read it.
            await().until(() -> http.find(name).orElseThrow().nextFireTime() != null);
            definitions.add(http.find(name)
                    .orElseThrow()
                    .json()
                    .replaceAll("\"(id|createdAt|updatedAt|name|version)\":[^,}]*", ""));
            assertTrue(client.cancel(name));
        }
        assertEquals(definitions.get(0), definitions.get(1));
    }

    private static List<StoreResult> results(TaskClient client, IfTaskExists ifExists, String... names) {
        String prefix = client.getClass().getSimpleName();
        List<TaskDraft> drafts = Stream.of(names)
                .map(name -> client.schedule(CLOSE, new Invoice(12, "Ny"))
                        .in(Duration.ofHours(1))
                        .draft()
                        .name(prefix + name))
                .toList();
        return client.addAll(drafts, ifExists).stream().map(StoredTask::result).toList();
    }

    @Test
    void both_clients_tell_whether_a_task_is_new_was_kept_or_was_replaced() throws Exception {
        for (TaskClient client : List.of(http, JdbcTaskClient.of(database, "shop"))) {
            String name = "result-" + client.getClass().getSimpleName();
            TaskScheduling once = client.schedule(CLOSE, new Invoice(12, "Ny")).in(Duration.ofHours(1));
            assertEquals(StoreResult.CREATED, once.named(name).result());
            assertEquals(StoreResult.KEPT, once.named(name).result());
            assertEquals(
                    StoreResult.REPLACED,
                    once.ifExists(IfTaskExists.REPLACE).named(name).result());
            assertTrue(client.cancel(name));
            assertEquals(
                    StoreResult.CREATED,
                    once.ifExists(IfTaskExists.REFUSE).named(name).result());
            assertEquals(StoreResult.CREATED, once.unnamed().result());

            assertEquals(
                    List.of(StoreResult.CREATED, StoreResult.CREATED), results(client, IfTaskExists.REFUSE, "1", "2"));
            assertEquals(List.of(StoreResult.CREATED, StoreResult.KEPT), results(client, IfTaskExists.KEEP, "3", "1"));
            assertEquals(
                    List.of(StoreResult.CREATED, StoreResult.REPLACED),
                    results(client, IfTaskExists.REPLACE, "4", "1"));

            StoredTask fired = client.schedule(CLOSE, new Invoice(13, "Oz")).named(name + "-fired");
            assertTrue(outcome(fired).isSuccess());
            await().atMost(SOON)
                    .until(() -> http.find(fired.name()).orElseThrow().state().equals("FINISHED"));
            StoredTask again = once.named(fired.name());
            assertEquals(StoreResult.CREATED, again.result(), "the one of this name has fired for the last time");
            assertNotEquals(fired.id(), again.id());
        }
    }

    @Test
    void the_short_way_stores_what_the_long_one_does() throws Exception {
        Instant at = Instant.now().plus(Duration.ofDays(1)).truncatedTo(ChronoUnit.MILLIS);
        JdbcTaskClient jdbc = JdbcTaskClient.of(database, "shop");
        List<String> definitions = new ArrayList<>();
        for (TaskClient client : List.of(http, jdbc)) {
            String name = "short-" + client.getClass().getSimpleName();
            StoredTask stored = client.schedule(CLOSE, name, at, new Invoice(14, "Pam"));
            assertEquals(StoreResult.CREATED, stored.result());
            assertEquals(
                    StoreResult.KEPT,
                    client.schedule(CLOSE, name, at.plusSeconds(1), null).result());
            assertEquals(at, http.find(name).orElseThrow().nextFireTime());
            definitions.add(http.find(name)
                    .orElseThrow()
                    .json()
                    .replaceAll(
                            "\"(id|createdAt|updatedAt|name|version|start)\":[^,}]*|,\"\\$traceparent\":[^,}]*", ""));
            TaskRefusedException refused =
                    assertThrows(TaskRefusedException.class, () -> client.schedule(CLOSE, "x".repeat(201), at, null));
            assertEquals(400, refused.status());
            StoredTask due = client.schedule(CLOSE, name + "-due", Instant.now(), new Invoice(15, "Quy"));
            assertTrue(outcome(due).isSuccess());
        }
        assertEquals(definitions.get(0), definitions.get(1));
        jdbc.retrying(key -> RetryPolicy.attempts(7)).schedule(CLOSE, "retried", at, null);
        assertTrue(http.find("retried").orElseThrow().json().contains("\"maxAttempts\":7"));
    }

    @Test
    void many_tasks_are_stored_by_one_call_of_each_client() {
        JdbcTaskClient jdbc = JdbcTaskClient.of(database, "shop");
        List<TaskDraft> drafts = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            drafts.add(jdbc.schedule(CLOSE, new Invoice(i, "Gus"))
                    .in(Duration.ofHours(1))
                    .draft()
                    .app("many")
                    .name("n" + i));
        }
        assertEquals(2000, jdbc.addAll(drafts, IfTaskExists.REFUSE).size());
        TaskRefusedException taken =
                assertThrows(TaskRefusedException.class, () -> http.addAll(drafts.subList(0, 3), IfTaskExists.REFUSE));
        assertEquals(409, taken.status());
        assertEquals(3, http.addAll(drafts.subList(0, 3), IfTaskExists.KEEP).size());
        assertEquals(
                List.of("2000"),
                new TestTasks(database).query("select count(*) from twinbell.task where app = 'many'"));
    }
}
