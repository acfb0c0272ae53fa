package io.twinbell.spring;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.TaskEntry;
import io.twinbell.Twinbell;
import io.twinbell.handler.TaskContext;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.management.MBeanServerFactory;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** One node, and programs that declare different tasks, looked at step by step. */
class RecurringUpkeepTest {
    private static final TwinbellProperties.RetrySettings NO_RETRY =
            new TwinbellProperties.RetrySettings(null, null, null, null, null);

    private static final Duration SOON = Duration.ofMinutes(1);
    private static PGSimpleDataSource database;
    private static TestingServer zooKeeper;
    private static Twinbell node;

    static class Program {
        @Recurring(every = "1h", name = "kept")
        void kept() {}

        @Recurring(every = "1h", name = "dropped")
        void dropped() {}

        @Recurring(every = "1h", name = "held")
        void held(TaskContext context) {}

        @Recurring(every = "1h", name = "calendars", task = "{\"calendars\":[\"unknown\"]}")
        void calendars() {}
    }

    @BeforeAll
    static void start() throws Exception {
        database = TestPostgres.freshDatabase();
        zooKeeper = new TestingServer();
        node = Twinbell.builder()
                .set("node.id", "a")
                .set("http.enabled", "false")
                .set("jmx.enabled", "false")
                .set("database.url", database.getUrl())
                .set("database.user", database.getUser())
                .set("database.password", String.valueOf(database.getPassword()))
                .set("zookeeper.connect", zooKeeper.getConnectString())
                .beanServer(MBeanServerFactory.newMBeanServer())
                .handler("code:shop/kept", context -> null)
                .handler("code:other/kept", context -> null)
                .start();
        assertTrue(node.awaitJoined(SOON));
        await().atMost(SOON).until(() -> node.role().equals("MASTER"));
    }

    @AfterAll
    static void stop() throws Exception {
        node.close();
        zooKeeper.close();
    }

    @Test
    void a_task_that_no_running_node_declares_is_paused_after_two_checks_and_listed() {
        RecurringUpkeep former = upkeep("shop", "kept", "dropped");
        former.pass(node);
        assertEquals(List.of("ACTIVE", "ACTIVE"), states("shop", "kept", "dropped"), "a node may be away for a moment");
        assertEquals(List.of(), former.undeclared());

        RecurringUpkeep present = upkeep("shop", "kept");
        present.pass(node);
        present.pass(node);
        assertEquals(List.of("ACTIVE", "PAUSED"), states("shop", "kept", "dropped"));
        assertEquals(List.of("dropped"), present.undeclared());
        assertTrue(find("shop", "dropped").json().contains(RecurringUpkeep.REASON));
    }

    @Test
    void a_task_that_is_declared_again_goes_on_unless_a_person_paused_it() {
        upkeep("other", "kept", "held").pass(node);
        node.tasks().pause("other", "kept", RecurringUpkeep.REASON, RecurringUpkeep.AUTHOR);
        node.tasks().pause("other", "held", "too early", "an operator");
        upkeep("other", "held").pass(node);
        assertEquals(List.of("PAUSED", "PAUSED"), states("other", "kept", "held"), "another program declares it");
        upkeep("other", "kept", "held").pass(node);
        assertEquals(List.of("ACTIVE", "PAUSED"), states("other", "kept", "held"));
    }

    @Test
    void tasks_of_other_kinds_are_left_alone() {
        node.tasks().put("third", "manual", """
                {"schedule": {"every": "PT1H"}, "tags": ["recurring"], "handler": {"type": "log"}}""");
        node.tasks().put("third", "code", """
                {"schedule": {"every": "PT1H"}, "handler": {"type": "java", "key": "code:third/code"}}""");
        RecurringUpkeep upkeep = upkeep("third");
        upkeep.pass(node);
        upkeep.pass(node);
        assertEquals(List.of("ACTIVE", "ACTIVE"), states("third", "manual", "code"));
    }

    @Test
    void nothing_is_paused_if_that_is_switched_off() {
        RecurringUpkeep upkeep = new RecurringUpkeep(
                "fourth",
                declared("fourth", "dropped"),
                new TwinbellProperties.RecurringTasks(false, Duration.ofSeconds(30)));
        upkeep.pass(node);
        upkeep.pass(node);
        upkeep.pass(node);
        assertEquals(List.of("ACTIVE"), states("fourth", "dropped"));
    }

    @Test
    void a_task_that_only_the_node_can_refuse_is_listed_with_the_reason() {
        RecurringUpkeep upkeep = upkeep("fifth", "calendars", "kept");
        upkeep.pass(node);
        assertEquals(List.of("ACTIVE"), states("fifth", "kept"));
        Map<String, String> problems = upkeep.problems();
        assertTrue(problems.get("calendars").contains("no calendar of that name"), problems.toString());
    }

    @Test
    void a_task_beyond_the_quota_is_listed_and_the_other_tasks_are_still_checked() {
        TestTasks tables = new TestTasks(database);
        upkeep("sixth", "kept").pass(node);
        node.tasks().pause("sixth", "kept", RecurringUpkeep.REASON, RecurringUpkeep.AUTHOR);
        RecurringUpkeep upkeep = upkeep("sixth", "dropped", "held", "kept");
        tables.execute("delete from twinbell.app_quota; insert into twinbell.app_quota (tasks) values (1)");
        try {
            upkeep.pass(node);
        } finally {
            tables.execute("delete from twinbell.app_quota");
        }
        assertEquals(Set.of("dropped", "held"), upkeep.problems().keySet());
        assertTrue(
                upkeep.problems().get("held").contains("quotas.tasks"),
                upkeep.problems().toString());
        upkeep.pass(node);
        assertEquals(Map.of(), upkeep.problems());
        assertEquals(List.of("ACTIVE", "ACTIVE"), states("sixth", "dropped", "held"));
    }

    private static RecurringUpkeep upkeep(String app, String... names) {
        return new RecurringUpkeep(
                app, declared(app, names), new TwinbellProperties.RecurringTasks(true, Duration.ofSeconds(30)));
    }

    private static List<RecurringTask> declared(String app, String... names) {
        return Arrays.stream(names)
                .map(name -> {
                    Method method = Stream.of(Program.class.getDeclaredMethods())
                            .filter(any -> any.getName().equals(name))
                            .findFirst()
                            .orElseThrow();
                    BeanMethod bean = BeanMethod.of(new DefaultListableBeanFactory(), "program", method);
                    return RecurringTask.of(app, bean, method.getAnnotation(Recurring.class), text -> text, NO_RETRY);
                })
                .toList();
    }

    private static List<String> states(String app, String... names) {
        return Arrays.stream(names).map(name -> find(app, name).state()).toList();
    }

    private static TaskEntry find(String app, String name) {
        return node.tasks().find(app, name).orElseThrow();
    }
}
