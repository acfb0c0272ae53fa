package io.twinbell.node.alert;

import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import com.zaxxer.hikari.HikariDataSource;
import io.twinbell.node.alert.store.AlertOutbox;
import io.twinbell.node.alert.store.AlertStore;
import io.twinbell.node.alert.store.JdbcExpectationQueries;
import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.calendar.store.CalendarStore;
import io.twinbell.node.cluster.store.HandlerKeys;
import io.twinbell.node.engine.TestHandlers;
import io.twinbell.node.execution.StuckDetector;
import io.twinbell.node.handler.Handlers;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The master's work on alerts, stepped by the test, with a real database and real calls. To let time pass, a test makes
 * the rows older.
 */
final class AlertBench implements AutoCloseable {
    static final Map<String, String> SECRETS = Map.of("HOOK_KEY", "s3cret-value", "TOKEN", "t0ken-value");

    private static Map<String, HandlerConfig.Secret> secrets() {
        return SECRETS.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, secret -> new HandlerConfig.Secret(secret.getValue())));
    }

    private static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();
    /** Also the sessions are those of all benches: the first statements of a session cost more than the others. */
    private static final HikariDataSource POOL = pool();

    private static final DedicatedConnection CONNECTION =
            new DedicatedConnection(TestSettings.of(DATABASE, "a"), "test", 5);

    private static HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(DATABASE);
        pool.setMaximumPoolSize(4);
        pool.setMinimumIdle(1);
        return pool;
    }

    final PGSimpleDataSource database = DATABASE;
    final TestTasks tasks = new TestTasks(database);
    final Hooks hooks = new Hooks();
    final HandTicker ticker = new HandTicker();
    final Loop loop = new Loop("alerts", ticker);
    final MetricRegistry registry = new MetricRegistry();
    final List<String> bell = new ArrayList<>();
    final DedicatedConnection connection = CONNECTION;
    private final Handlers handlers;
    final AlertStore store;
    final AlertOutbox desk;
    final CalendarStore calendars;
    final ExpectationMonitor watches;
    final UnknownHandlerSurvey unknownHandlers;
    private Alerts alerts;
    Epoch epoch;
    Optional<String> noStandby = Optional.empty();
    StuckDetector.StuckReport stuck = new StuckDetector.StuckReport(0, List.of());

    AlertBench() {
        TestPostgres.clear(database);
        store = new AlertStore(POOL);
        desk = new AlertOutbox(POOL);
        calendars = new CalendarStore(POOL);
        unknownHandlers = new UnknownHandlerSurvey(
                new HandlerKeys(POOL)::unknownInUse, () -> true, () -> nowMillis() + 1000, ticker, loop);
        watches = new ExpectationMonitor(new JdbcExpectationQueries(connection), Duration.ofDays(30), ticker, loop);
        HandlerConfig defaults = HandlerConfig.DEFAULT;
        handlers = new Handlers(
                new HandlerConfig(defaults.http(), defaults.java(), defaults.sql(), defaults.shell(), secrets()),
                Map.of(),
                this::nowMillis,
                TestHandlers.NO_TRANSACTIONS,
                List.of());
        promote();
    }

    long nowMillis() {
        return tasks.number("select twinbell.now_millis()");
    }

    /** Opens the next epoch with a new master that remembers nothing. The previous master does not know of it. */
    void promote() {
        long before = tasks.number("select epoch from twinbell.epoch");
        epoch = new JdbcEpochRegister(TestSettings.of(database, "a"), connection)
                .open(before, new Claimant("a", java.util.UUID.randomUUID(), before + 1, before + 1), "test")
                .orElseThrow();
        alerts = alertsOf(epoch);
    }

    /** Replaces the master by one that was promoted this long ago. */
    void promoteAfter(Duration time) {
        epoch = new Epoch(epoch.number(), epoch.token(), epoch.node(), epoch.openedAtMillis() - time.toMillis());
        alerts = alertsOf(epoch);
    }

    private Alerts alertsOf(Epoch master) {
        AlertListener told = new AlertListener() {
            @Override
            public void onAlert(String alert, String key, String summary, long events) {
                bell.add(alert + ": " + summary + " (" + events + ")");
            }

            @Override
            public void givenUp(String alert, String key, String summary, String error) {
                bell.add(alert + " given up: " + error);
            }
        };
        return new Alerts(
                desk,
                new Deliveries(desk, handlers::call, told, ticker, registry, () -> {}),
                new OngoingConditions(() -> stuck, unknownHandlers::report, () -> noStandby, ticker),
                watches,
                told,
                () -> master,
                this::nowMillis,
                ticker,
                () -> new CalendarBook(calendars).fresh(),
                Duration.ofDays(30),
                loop);
    }

    /** @param more members beside "on" and the URL */
    void alert(String name, String on, String more) {
        put(name, "{\"on\":[" + on + "],\"webhook\":{\"url\":\"" + hooks.url() + "/hook\"}" + more + "}");
    }

    void put(String name, String json) {
        AlertReader.ReadAlert read = AlertReader.read(
                StrictJson.read(json.getBytes(StandardCharsets.UTF_8)), new CalendarBook(calendars).fresh());
        store.put(name, read.content(), read.selection(), null, any -> true);
    }

    /** Records the end of an execution as the engine would. The task need not exist. */
    void end(long task, String name, String state, String error) {
        tasks.query("insert into twinbell.execution (task_id, fire_time, app, name, state, attempt, node, epoch,"
                + " claimed_at) values (" + task + ", twinbell.instant(twinbell.now_millis()), 'billing', '" + name
                + "', 'CLAIMED', 1, 'a', 1, clock_timestamp()) returning 1");
        tasks.execute("update twinbell.execution set state = '" + state + "', error = " + quoted(error)
                + ", ended_at = clock_timestamp() where task_id = " + task + " and state = 'CLAIMED'");
    }

    /** @param code an SQL literal */
    void endWithCode(String state, String code) {
        tasks.query("insert into twinbell.execution (task_id, fire_time, app, name, state, attempt, node, epoch,"
                + " claimed_at) values (1, (select coalesce(max(fire_time), now()) + interval '1 s' from"
                + " twinbell.execution), 'billing', 't', 'CLAIMED', 1, 'a', 1, clock_timestamp()) returning 1");
        tasks.execute("update twinbell.execution set state = '" + state + "', error_code = " + code
                + ", ended_at = clock_timestamp() where state = 'CLAIMED'");
    }

    private static String quoted(String text) {
        return text == null ? "null" : "'" + text.replace("'", "''") + "'";
    }

    void fail(long task) {
        end(task, "t" + task, "FAILED", "the receiver responded with 500");
    }

    /** Lets time pass, by making everything in the tables older. */
    void pass(Duration time) {
        ticker.pass(time);
        String earlier = " - interval '" + time.toMillis() + " milliseconds'";
        tasks.execute("update twinbell.alert_event set at = at" + earlier
                + "; update twinbell.alert_condition set began_at = began_at" + earlier
                + "; update twinbell.alert_delivery set created_at = created_at" + earlier + ", due_at = due_at"
                + earlier
                + ", started_at = started_at" + earlier + ", ended_at = ended_at" + earlier);
    }

    /** Steps until the condition holds. */
    void until(Callable<Boolean> condition) {
        await().pollInterval(Duration.ofMillis(10)).until(() -> {
            step();
            return condition.call();
        });
    }

    long step() {
        return alerts.step();
    }

    /** Steps until there is nothing to do at once. */
    void settle() {
        until(() -> step() >= Duration.ofSeconds(1).toNanos()
                && tasks.number("select count(*) from twinbell.alert_delivery where state = 'SENDING'") == 0);
    }

    /** Gathers the events, and sends what may be sent. */
    void tell() {
        settle();
        pass(Duration.ofSeconds(2));
        settle();
    }

    List<String> deliveries(String columns) {
        return tasks.query("select " + columns + " from (select * from twinbell.alert_delivery order by id) d");
    }

    long events() {
        return tasks.number("select count(*) from twinbell.alert_event");
    }

    @Override
    public void close() {
        handlers.close();
        hooks.close();
    }
}
