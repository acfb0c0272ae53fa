package io.twinbell.spring;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.twinbell.TaskEntry;
import io.twinbell.Tasks;
import io.twinbell.client.HandlerKey;
import io.twinbell.client.JdbcTaskClient;
import io.twinbell.client.RetryPolicy;
import io.twinbell.client.TaskDraft;
import io.twinbell.handler.TaskContext;
import io.twinbell.handler.TransactionContext;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.JdbcTemplateAutoConfiguration;
import org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** An application with a node, a database and transactions. */
@ExtendWith(OutputCaptureExtension.class)
class ShopTest {
    record Invoice(long number) {}

    private static final Duration SOON = Duration.ofMinutes(1);
    private static final HandlerKey<Invoice> CLOSE = HandlerKey.of("invoice.close", Invoice.class);
    private static final HandlerKey<Invoice> BOOK = HandlerKey.of("invoice.book", Invoice.class);
    private static final HandlerKey<Invoice> FAIL = HandlerKey.of("invoice.fail", Invoice.class);
    private static final BlockingQueue<String> RUNS = new LinkedBlockingQueue<>();

    private static PGSimpleDataSource database;
    private static TestingServer zooKeeper;
    private static ConfigurableApplicationContext shop;
    private static TestTasks tables;

    /** The module's class path has parts of two releases, so that not everything can be configured by itself. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        TwinbellAutoConfiguration.class,
        TwinbellActuatorAutoConfiguration.class,
        DataSourceAutoConfiguration.class,
        JdbcTemplateAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        TransactionAutoConfiguration.class
    })
    static class Parts {}

    @Configuration(proxyBeanMethods = false)
    @Import(Parts.class)
    static class ShopBeans {
        @Bean
        Invoices invoices(JdbcTemplate sql, JdbcTaskClient tasks, Bookings ledger) {
            return new Invoices(sql, tasks, ledger);
        }

        @Bean
        Reports reports(JdbcTemplate sql, Bookings ledger) {
            return new Reports(sql, ledger);
        }

        @Bean
        Bookings ledger(JdbcTemplate sql) {
            return new Bookings(sql);
        }
    }

    static class Bookings {
        private final JdbcTemplate sql;

        Bookings(JdbcTemplate sql) {
            this.sql = sql;
        }

        @Transactional
        public void book(Invoice invoice) {
            sql.update("insert into booking values (?)", invoice.number());
            if (invoice.number() < 0) {
                throw new IllegalArgumentException("negative");
            }
        }
    }

    static class Invoices {
        private final JdbcTemplate sql;
        private final JdbcTaskClient tasks;
        private final Bookings ledger;

        Invoices(JdbcTemplate sql, JdbcTaskClient tasks, Bookings ledger) {
            this.sql = sql;
            this.tasks = tasks;
            this.ledger = ledger;
        }

        @Transactional
        public void order(String name, long number, boolean fails) {
            tasks.schedule(CLOSE, new Invoice(number)).named(name);
            if (fails) {
                throw new IllegalStateException("out of stock");
            }
        }

        /** Behind a proxy, because of the transaction. */
        @Transactional
        @TwinbellHandler("invoice.close")
        public String close(Invoice invoice, TaskContext context) {
            sql.update("insert into booking values (?)", invoice.number());
            RUNS.add(context.name() + " " + invoice.number());
            return "closed " + invoice.number();
        }

        @TwinbellHandler(
                value = "invoice.fail",
                rerunOrphans = true,
                retry = @RetryAttempts(value = 3, backoff = "${shop.pause}", jitter = 0))
        void fail(Invoice invoice) {
            throw new IllegalStateException("no bank answers for " + invoice.number());
        }

        @TwinbellHandler(value = "invoice.book", exactlyOnce = true)
        public void book(Invoice invoice, TaskContext context) {
            sql.update("insert into booking values (?)", invoice.number());
            if (invoice.number() % 2 == 0) {
                ledger.book(new Invoice(invoice.number() + 1000));
            } else {
                swallow(invoice);
            }
            tasks.schedule(CLOSE, new Invoice(invoice.number() + 5)).named("after-" + context.name());
        }

        /** What is marked for rollback must not be committed, even if the exception is caught. */
        private void swallow(Invoice invoice) {
            try {
                ledger.book(new Invoice(-invoice.number()));
            } catch (IllegalArgumentException e) {
                RUNS.add("swallowed");
            }
        }

        @Recurring(name = "poll", every = "100ms")
        void poll(TaskContext context) {
            RUNS.add("poll");
        }
    }

    /** Recurring methods in the transactions of their executions. */
    static class Reports {
        private final JdbcTemplate sql;
        private final Bookings ledger;

        Reports(JdbcTemplate sql, Bookings ledger) {
            this.sql = sql;
            this.ledger = ledger;
        }

        @Recurring(name = "report", every = "200ms", exactlyOnce = true)
        void report(TransactionContext context) {
            sql.update("insert into report values (?)", context.idempotencyKey());
            ledger.book(new Invoice(9000));
        }

        @Recurring(name = "report-fails", every = "200ms", exactlyOnce = true, retry = @RetryAttempts(1))
        void fails(TaskContext context) {
            sql.update("insert into report values (?)", context.name());
            throw new IllegalStateException("no printer answers");
        }
    }

    @BeforeAll
    static void start() throws Exception {
        database = TestPostgres.freshDatabase();
        tables = new TestTasks(database);
        tables.execute("create table booking (number bigint); create table report (run text)");
        zooKeeper = new TestingServer();
        shop = run(ShopBeans.class);
        assertTrue(shop.getBean(TwinbellNode.class).node().awaitJoined(Duration.ZERO), "the start waits for it");
        await().atMost(SOON)
                .until(() -> shop.getBean(TwinbellNode.class).node().role().equals("MASTER"));
    }

    @AfterAll
    static void stop() throws Exception {
        shop.close();
        zooKeeper.close();
    }

    @Test
    void a_task_enqueued_in_a_transaction_runs_only_if_it_commits() throws Exception {
        Invoices invoices = shop.getBean(Invoices.class);
        assertEquals(
                "out of stock",
                assertThrows(IllegalStateException.class, () -> invoices.order("lost", 1, true))
                        .getMessage());
        invoices.order("kept", 2, false);
        await().atMost(SOON).until(() -> RUNS.contains("kept 2"));
        assertFalse(RUNS.contains("lost 1"));
        tables.assertRows("select count(*) from twinbell.task where name = 'lost'", "0");
        await().atMost(SOON).until(() -> outcome("kept").equals(List.of("SUCCEEDED|closed 2")));
    }

    @Test
    void outside_a_transaction_each_call_commits_by_itself() {
        JdbcTaskClient tasks = shop.getBean(JdbcTaskClient.class);
        tasks.schedule(CLOSE, new Invoice(3)).named("alone");
        await().atMost(SOON).until(() -> RUNS.contains("alone 3"));
        assertFalse(tasks.cancel("unknown"));
    }

    @Test
    void what_an_exactly_once_handler_writes_commits_with_its_outcome() {
        JdbcTaskClient tasks = shop.getBean(JdbcTaskClient.class);
        tasks.schedule(BOOK, new Invoice(100)).named("booked");
        await().atMost(SOON).until(() -> RUNS.contains("after-booked 105"));
        assertEquals(List.of("SUCCEEDED|"), outcome("booked"));
        tables.assertRows(
                "select number from booking where number in (100, 105, 1100) order by 1", "100", "105", "1100");
    }

    @Test
    void a_transaction_that_is_marked_for_rollback_fails_an_exactly_once_handler() {
        JdbcTaskClient tasks = shop.getBean(JdbcTaskClient.class);
        tasks.schedule(BOOK, new Invoice(301)).named("marked");
        await().atMost(SOON).until(() -> outcome("marked").equals(List.of("FAILED|")));
        assertTrue(RUNS.contains("swallowed"));
        tables.assertRows("select count(*) from booking where number in (301, -301, 306)", "0");
        tables.assertRows("select count(*) from twinbell.task where name = 'after-marked'", "0");
    }

    @Test
    void failed_attempts_are_in_the_applications_log(CapturedOutput log) {
        JdbcTaskClient tasks = shop.getBean(JdbcTaskClient.class);
        tasks.schedule(BOOK, new Invoice(-2000))
                .with(task -> task.retry(RetryPolicy.attempts(2).backoff(Duration.ofMillis(100))))
                .named("negative");
        await().atMost(SOON).until(() -> outcome("negative").equals(List.of("FAILED|")));
        for (int attempt = 1; attempt <= 2; attempt++) {
            assertTrue(
                    log.getOut()
                            .contains("attempt " + attempt + " of task shop/negative (handler invoice.book, slot "
                                    + tables.row("select id from twinbell.task where name = 'negative'")
                                    + "/"),
                    log::getOut);
        }
        String error = ": java.lang.IllegalArgumentException: negative";
        assertTrue(log.getOut().contains(") FAILED, the next attempt is due at 20"), log::getOut);
        assertTrue(log.getOut().contains(") FAILED, no attempt follows, so it is a dead letter" + error), log::getOut);
    }

    @Test
    void a_task_is_tried_as_often_as_its_handler_or_the_application_says_unless_it_says_itself() {
        JdbcTaskClient tasks = shop.getBean(JdbcTaskClient.class);
        tasks.schedule(FAIL, new Invoice(1)).named("by-handler");
        tasks.schedule(FAIL, new Invoice(2))
                .with(task -> task.retry(RetryPolicy.attempts(1)))
                .named("by-itself");
        tasks.schedule(BOOK, new Invoice(-3000)).named("by-property");
        for (String name : List.of("by-handler", "by-itself", "by-property")) {
            await().atMost(SOON).until(() -> outcome(name).equals(List.of("FAILED|")));
        }
        tables.assertRows(
                "select name, attempt from twinbell.execution where name like 'by-%' order by name",
                "by-handler|3", "by-itself|1", "by-property|2");
        tables.assertRows(
                "select extract(epoch from (definition -> 'retry' ->> 'backoff')::interval)::numeric(9,2)"
                        + " from twinbell.full_task where name = 'by-handler'",
                "0.02");
    }

    /** The transaction of such a run was rolled back with its node. Another handler may have taken effect already. */
    @Test
    void a_task_of_a_handler_that_takes_effect_once_or_may_run_twice_runs_again_if_its_node_dies() {
        JdbcTaskClient tasks = shop.getBean(JdbcTaskClient.class);
        tasks.schedule(BOOK, new Invoice(500)).in(Duration.ofDays(1)).named("orphan-once");
        tasks.schedule(BOOK, new Invoice(501))
                .in(Duration.ofDays(1))
                .with(task -> task.orphan(TaskDraft.OrphanHandling.DROP))
                .named("orphan-said");
        tasks.schedule(CLOSE, new Invoice(502)).in(Duration.ofDays(1)).named("orphan-usual");
        tasks.schedule(FAIL, new Invoice(503)).in(Duration.ofDays(1)).named("orphan-marked");
        tables.assertRows(
                "select name, coalesce(definition ->> 'orphan', 'DROP') from twinbell.full_task"
                        + " where name like 'orphan-%' order by name",
                "orphan-marked|RERUN", "orphan-once|RERUN", "orphan-said|DROP", "orphan-usual|DROP");
    }

    @Test
    void a_payload_that_does_not_fit_fails_without_a_retry() {
        tables.execute("select twinbell.add_task('shop', 'unreadable', '{\"in\":\"PT0S\"}',"
                + " '{\"type\":\"java\",\"key\":\"invoice.close\"}',"
                + " '{\"data\":{\"number\":\"many\"},\"retry\":{\"maxAttempts\":5}}')");
        await().atMost(SOON).until(() -> outcome("unreadable").equals(List.of("FAILED|")));
        tables.assertRows(
                "select error_code, attempt from twinbell.execution where name = 'unreadable'", "UNREADABLE_PAYLOAD|1");
    }

    @Test
    void a_recurring_method_runs_and_its_task_is_tagged() {
        await().atMost(SOON).until(() -> RUNS.contains("poll"));
        Tasks tasks = shop.getBean(TwinbellNode.class).node().tasks();
        assertEquals(
                List.of("poll", "report", "report-fails"),
                tasks.list("shop", "recurring", 0, 10).stream()
                        .map(TaskEntry::name)
                        .sorted()
                        .toList());
    }

    /** The rows are counted in one statement, so that a run between two does not matter. */
    @Test
    void what_a_recurring_method_writes_exactly_once_commits_with_its_outcome_or_not_at_all() {
        await().atMost(SOON)
                .until(() -> succeededReports() >= 3 && !outcome("report-fails").isEmpty());
        tables.assertRows(
                "select (select count(*) from report where run <> 'report-fails')"
                        + " = (select count(*) from twinbell.execution where name = 'report' and state = 'SUCCEEDED'),"
                        + " (select count(*) from booking where number = 9000) = (select count(*) from report)",
                "t|t");
        await().atMost(SOON).until(() -> outcome("report-fails").contains("FAILED|"));
        tables.assertRows("select count(*) from report where run = 'report-fails'", "0");
        tables.assertRows(
                "select name, definition ->> 'orphan' from twinbell.full_task where name like 'report%'"
                        + " order by name",
                "report|RERUN", "report-fails|RERUN");
    }

    private static int succeededReports() {
        return (int) outcome("report").stream().filter("SUCCEEDED|"::equals).count();
    }

    @Test
    void actuator_shows_the_role_and_what_the_application_declares() {
        await().atMost(SOON).until(() -> shop.getBean(NodeReport.class).isReady());
        Map<String, Object> state = shop.getBean(TwinbellEndpoint.class).state();
        assertEquals("MASTER", state.get("role"));
        assertEquals(List.of("""
                code:shop/poll code:shop/report code:shop/report-fails invoice.book invoice.close invoice.fail""".split(" ")), state.get("handlers"));
        assertEquals(List.of("poll", "report", "report-fails"), state.get("recurring"));
        Info.Builder info = new Info.Builder();
        shop.getBean(InfoContributor.class).contribute(info);
        assertTrue(info.build().get("twinbell").toString().contains("role=MASTER"));
    }

    @Test
    void meters_follow_the_nodes_metrics_also_those_that_appear_later() {
        MockClock clock = new MockClock();
        SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
        shop.getBean(NodeMeters.class).bindTo(registry);
        assertNotNull(registry.find("twinbell.epoch").gauge(), "the first scrape has the node's metrics");
        // Micrometer's registry for Prometheus tells a metric whose label is its value by this ending.
        assertNotNull(registry.find("twinbell.build.info").tagKeys("version").gauge());
        // Registries hold what they read by a weak reference.
        System.gc();
        await().atMost(SOON).until(() -> registry.get("twinbell.ready").gauge().value() == 1);
        assertEquals(
                shop.getBean(TwinbellNode.class).node().status().epoch(),
                registry.get("twinbell.epoch").gauge().value());
        await().atMost(SOON).until(() -> {
            clock.add(Duration.ofSeconds(2));
            registry.get("twinbell.ready").gauge().value();
            return registry.find("twinbell.app.executions").tag("app", "shop").functionCounter() != null;
        });
        await().atMost(SOON).until(() -> {
            clock.add(Duration.ofSeconds(2));
            return registry.get("twinbell.lateness").functionTimer().count() > 0;
        });
    }

    /** A role named twinbell has the same effect: PostgreSQL looks first in the schema named like the role. */
    @Test
    void an_application_whose_names_without_a_schema_mean_that_of_the_node_does_not_start() {
        String url = database.getUrl();
        SpringApplicationBuilder application = new SpringApplicationBuilder(Parts.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.datasource.url=" + url + (url.contains("?") ? "&" : "?") + "currentSchema=twinbell",
                        "spring.datasource.username=" + database.getUser(),
                        "spring.datasource.password=" + String.valueOf(database.getPassword()),
                        "twinbell.zookeeper.connect=" + zooKeeper.getConnectString());
        Throwable failure = assertThrows(Exception.class, application::run);
        while (!(failure instanceof StartRefusedException) && failure.getCause() != null) {
            failure = failure.getCause();
        }
        assertTrue(failure.getMessage().contains("mean the schema twinbell"), failure.getMessage());
        assertTrue(failure.getMessage().contains("Append currentSchema=public"), failure.getMessage());
    }

    private static List<String> outcome(String task) {
        return tables.query("select state, output from twinbell.execution where name = ?", task);
    }

    private static ConfigurableApplicationContext run(Class<?> application) {
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.application.name=shop",
                        "spring.main.banner-mode=off",
                        "spring.datasource.url=" + database.getUrl(),
                        "spring.datasource.username=" + database.getUser(),
                        "spring.datasource.password=" + String.valueOf(database.getPassword()),
                        "twinbell.zookeeper.connect=" + zooKeeper.getConnectString(),
                        "management.endpoints.web.exposure.include=twinbell",
                        "twinbell.recurring.check-interval=1s",
                        "twinbell.retry.max-attempts=2",
                        "twinbell.retry.backoff=10ms",
                        "shop.pause=20ms",
                        "twinbell.join-timeout=1m")
                .run();
    }
}
