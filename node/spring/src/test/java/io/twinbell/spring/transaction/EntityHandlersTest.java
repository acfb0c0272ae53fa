package io.twinbell.spring.transaction;

import static io.twinbell.spring.transaction.EntityShop.EVENTS;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.client.JdbcTaskClient;
import io.twinbell.handler.TransactionContext;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.spring.TwinbellNode;
import java.time.Duration;
import java.util.List;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** What exactly-once handlers write through entity managers, on a real pair's database. The entities have their own schema. */
class EntityHandlersTest {
    private static final Duration SOON = Duration.ofMinutes(1);

    private static PGSimpleDataSource database;
    private static TestingServer zooKeeper;
    private static ConfigurableApplicationContext shop;
    private static TestTasks tables;

    @BeforeAll
    static void start() throws Exception {
        database = TestPostgres.freshDatabase();
        tables = new TestTasks(database);
        tables.execute("create schema shop; create table shop.receipt (number bigint)");
        zooKeeper = new TestingServer();
        String url = database.getUrl();
        shop = new SpringApplicationBuilder(EntityShop.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.application.name=shop",
                        "spring.main.banner-mode=off",
                        "spring.datasource.url=" + url + (url.contains("?") ? "&" : "?") + "currentSchema=shop",
                        "spring.datasource.username=" + database.getUser(),
                        "spring.datasource.password=" + String.valueOf(database.getPassword()),
                        "spring.jpa.hibernate.ddl-auto=create",
                        "twinbell.zookeeper.connect=" + zooKeeper.getConnectString(),
                        "twinbell.join-timeout=1m")
                .run();
        await().atMost(SOON)
                .until(() -> shop.getBean(TwinbellNode.class).node().role().equals("MASTER"));
    }

    @AfterAll
    static void stop() throws Exception {
        shop.close();
        zooKeeper.close();
    }

    @Test
    void entities_rows_and_tasks_are_committed_with_the_outcome() {
        run("together", "nothing", 100);
        assertEquals(List.of("SUCCEEDED|second 100 with 1 positions"), outcome("together"));
        assertEquals(List.of("100", "101", "102"), bills(100));
        assertEquals(List.of("100", "102"), receipts(100));
        tables.assertRows("select number from shop.position where bill = 101", "100");
        await().atMost(SOON).until(() -> EVENTS.contains("sent 100"));
    }

    @Test
    void repositories_read_what_is_not_yet_committed_in_the_applications_schema() {
        run("reader", "read", 200);
        assertEquals(List.of("SUCCEEDED|second 200 with 1 positions"), outcome("reader"));
        assertTrue(EVENTS.contains("read second 200 with 1 positions"), EVENTS::toString);
        assertTrue(EVENTS.contains("path shop"), EVENTS::toString);
    }

    @Test
    void callbacks_after_the_commit_are_called_after_it_and_may_write_by_themselves() {
        run("listener", "nothing", 300);
        await().atMost(SOON).until(() -> EVENTS.contains("sent -302"));
        assertTrue(EVENTS.contains("after commit 302 true"), EVENTS::toString);
        assertFalse(EVENTS.contains("after rollback 302"), EVENTS::toString);
        assertTrue(EVENTS.contains("committed listener"), EVENTS::toString);
        assertFalse(EVENTS.contains("not committed listener"), EVENTS::toString);
    }

    @Test
    void an_exception_after_a_flush_leaves_nothing() {
        run("thrown", "throw after a flush", 400);
        assertFailed("thrown", 400, "no bank answers");
        assertTrue(EVENTS.contains("not committed thrown"), EVENTS::toString);
        assertTrue(EVENTS.contains("after rollback 402"), EVENTS::toString);
        assertFalse(EVENTS.contains("completing thrown"), "nothing is flushed after a failure");
    }

    @Test
    void a_constraint_that_breaks_at_the_flush_of_the_end_leaves_nothing() {
        run("broken", "break a constraint", 500);
        assertFailed("broken", 500, "DataIntegrityViolationException");
        assertTrue(EVENTS.contains("not committed broken"), EVENTS::toString);
    }

    @Test
    void a_transaction_that_an_inner_method_marked_for_rollback_leaves_nothing() {
        run("marked", "swallow", 600);
        assertFailed("marked", 600, "has marked the transaction of this execution for rollback");
        assertTrue(EVENTS.contains("swallowed 600"), EVENTS::toString);
    }

    @Test
    void a_transaction_of_its_own_commits_by_itself_inside_of_one_that_does_not() {
        run("separated", "separate", 700);
        assertEquals(List.of("FAILED"), states("separated"));
        assertEquals(List.of("703"), bills(700));
        assertEquals(List.of(), receipts(700));
    }

    @Test
    void a_bill_that_another_transaction_has_changed_meanwhile_fails_the_run() {
        run("overtaken", "overtaken", 800);
        assertEquals(List.of("FAILED"), states("overtaken"));
        assertTrue(error("overtaken").contains("OptimisticLockingFailureException"), error("overtaken"));
        tables.assertRows("select title from shop.bill where number / 100 = 8", "overtaken 800");
    }

    @Test
    void an_entity_manager_cannot_end_the_transaction_before_the_handler_returns() {
        run("impatient", "commit by itself", 900);
        assertFailed("impatient", 900, "commit must not be called by the handler");
        run("early", "commit the execution", 1200);
        assertFailed("early", 1200, "commit must not be called by a method with exactlyOnce");
    }

    @Test
    void an_execution_that_was_settled_meanwhile_leaves_nothing() {
        run("settled", "settle", 1000);
        assertEquals(List.of("TIMED_OUT"), states("settled"));
        assertNothing("settled", 1000);
        assertTrue(EVENTS.contains("after rollback 1002"), EVENTS::toString);
        assertFalse(EVENTS.contains("committed settled"), EVENTS::toString);
    }

    /** The first run has lost its epoch before its commit. The node's next epoch runs it again. */
    @Test
    void an_execution_whose_epoch_is_lost_takes_effect_once() {
        run("fenced", "lose the epoch", 1100);
        await().atMost(SOON).until(() -> states("fenced").equals(List.of("SUCCEEDED")));
        assertTrue(EVENTS.contains("after rollback 1102"), EVENTS::toString);
        assertEquals(List.of("1100", "1101", "1102"), bills(1100));
        assertEquals(List.of("1100", "1102"), receipts(1100));
        tables.assertRows("select attempt from twinbell.execution where name = 'fenced'", "2");
    }

    /** What happens to the execution while its handler runs. */
    static void during(String deed, TransactionContext context) {
        switch (deed) {
            case "settle" ->
                tables.execute(
                        "update twinbell.execution set state = 'TIMED_OUT' where name = '" + context.name() + "'");
            case "lose the epoch" -> {
                if (context.attempt() == 1) {
                    tables.execute("update twinbell.epoch set epoch = epoch + 1, owner_token = gen_random_uuid()");
                }
            }
            default -> throw new IllegalArgumentException(deed);
        }
    }

    /** Enqueues the task, and waits until its first attempt has an end. */
    private static void run(String task, String deed, long number) {
        shop.getBean(JdbcTaskClient.class)
                .schedule(EntityShop.WRITE, new EntityShop.Wanted(deed, number))
                .named(task);
        String event = String.valueOf(number + 2);
        await().atMost(SOON)
                .until(() -> EVENTS.contains("after commit " + event + " true")
                        || EVENTS.contains("after rollback " + event));
        await().atMost(SOON).until(() -> !states(task).contains("CLAIMED"));
    }

    private static void assertFailed(String task, long number, String error) {
        assertEquals(List.of("FAILED"), states(task));
        assertTrue(error(task).contains(error), error(task));
        assertNothing(task, number);
    }

    private static void assertNothing(String task, long number) {
        assertEquals(List.of(), bills(number));
        assertEquals(List.of(), receipts(number));
        assertEquals(List.of("0"), tables.query("select count(*) from twinbell.task where name = ?", "after-" + task));
    }

    private static List<String> bills(long number) {
        return tables.query("select number from shop.bill where number / 100 = " + number / 100 + " order by 1");
    }

    private static List<String> receipts(long number) {
        return tables.query("select number from shop.receipt where number / 100 = " + number / 100 + " order by 1");
    }

    private static List<String> outcome(String task) {
        return tables.query("select state, output from twinbell.execution where name = ?", task);
    }

    private static List<String> states(String task) {
        return tables.query("select state from twinbell.execution where name = ?", task);
    }

    private static String error(String task) {
        return tables.row("select error from twinbell.execution where name = ?", task);
    }
}
