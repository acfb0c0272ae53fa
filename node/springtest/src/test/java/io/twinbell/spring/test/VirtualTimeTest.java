package io.twinbell.spring.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.twinbell.Twinbell;
import io.twinbell.client.ExecutionSelection;
import io.twinbell.client.ExecutionView;
import io.twinbell.client.HandlerKey;
import io.twinbell.client.IfTaskExists;
import io.twinbell.client.JdbcTaskClient;
import io.twinbell.client.TaskAction;
import io.twinbell.client.TaskDraft;
import io.twinbell.client.TaskRefusedException;
import io.twinbell.client.TaskSchedule;
import io.twinbell.spring.TwinbellNode;
import io.twinbell.spring.test.OrderShop.Order;
import io.twinbell.test.TestScheduler;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.actuate.health.HealthEndpoint;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application of Spring Boot in virtual time, as its developer tests it. */
@SpringBootTest(
        classes = {OrderShop.class, VirtualTimeTest.SlowBank.class},
        properties = {"spring.application.name=shop", "spring.main.banner-mode=off"})
@VirtualTime("2026-03-01T00:00:00Z")
@ExtendWith(OutputCaptureExtension.class)
class VirtualTimeTest {
    private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");

    @Autowired
    private OrderShop.PlacedOrders orders;

    @Autowired
    private TestScheduler scheduler;

    @Autowired
    private JdbcTaskClient tasks;

    @Autowired
    private TwinbellNode node;

    @Autowired
    private JdbcTemplate sql;

    @Autowired
    private PlatformTransactionManager transactions;

    @Autowired
    private Clock clock;

    @TestConfiguration(proxyBeanMethods = false)
    static class SlowBank {
        @Bean
        VirtualTimeCustomizer settings() {
            return scheduler -> scheduler
                    .standIn("http", context -> "called " + context.name())
                    .takes("order.close", Duration.ofMinutes(5));
        }
    }

    @BeforeEach
    void clear() {
        OrderShop.TRIES.clear();
        sql.update("delete from orders");
    }

    @Test
    void an_order_is_closed_after_two_days() {
        orders.place(4711, false);
        scheduler.assertThat("shop", "order-4711").firesNextAt("2026-03-03T00:00:00Z");
        scheduler.clock().advance(Duration.ofHours(49));
        scheduler
                .assertThat("shop", "order-4711")
                .firedTimes(1)
                .succeeded()
                .latest()
                .hasOutput("closed 4711");
        assertEquals(START.plus(Duration.ofHours(48)), orders.closedAt(4711));
        assertEquals(
                List.of("order-4711 1"),
                OrderShop.TRIES.stream().filter(one -> one.startsWith("order")).toList());
    }

    @Test
    void a_task_exists_after_the_commit_and_not_after_a_rollback() {
        assertThrows(IllegalStateException.class, () -> orders.place(1, true));
        scheduler.assertThat("shop", "order-1").doesNotExist();
        new TransactionTemplate(transactions).executeWithoutResult(status -> {
            orders.place(2, false);
            scheduler.assertThat("shop", "order-2").doesNotExist();
            assertTrue(tasks.cancel("order-2"), "the transaction sees its own task");
            orders.placeSeparately(3);
            scheduler.assertThat("shop", "order-3").exists();
            tasks.schedule(OrderShop.CLOSE, new Order(2))
                    .in(Duration.ofHours(1))
                    .named("order-2");
        });
        scheduler.assertThat("shop", "order-2").firesNextAt("2026-03-01T01:00:00Z");
        assertThrows(IllegalStateException.class, () -> orders.cancel(2, true));
        scheduler.assertThat("shop", "order-2").exists();
        orders.cancel(2, false);
        scheduler.assertThat("shop", "order-2").doesNotExist();
    }

    @Test
    void what_is_enqueued_after_a_commit_exists_at_once() {
        new TransactionTemplate(transactions).executeWithoutResult(status -> {
            tasks.schedule(OrderShop.CLOSE, new Order(1))
                    .in(Duration.ofHours(1))
                    .named("order-1");
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    scheduler.assertThat("shop", "order-1").exists();
                    tasks.schedule(OrderShop.CLOSE, new Order(2))
                            .in(Duration.ofHours(1))
                            .named("order-2");
                }
            });
        });
        scheduler.assertThat("shop", "order-2").exists();
    }

    @Test
    void a_nested_transaction_that_rolls_back_takes_its_tasks_along() {
        new TransactionTemplate(transactions).executeWithoutResult(status -> {
            assertThrows(IllegalStateException.class, () -> orders.placeNested(1, true));
            orders.placeNested(2, false);
            assertThrows(IllegalStateException.class, () -> orders.placeNested(3, true));
        });
        scheduler.assertThat("shop", "order-1").doesNotExist();
        scheduler.assertThat("shop", "order-2").exists();
        scheduler.assertThat("shop", "order-3").doesNotExist();
    }

    @Test
    void a_transaction_that_was_refused_a_task_cannot_commit() {
        IllegalStateException thrown = assertThrows(IllegalStateException.class, () -> orders.placeTwice(5));
        assertTrue(thrown.getMessage().contains("already has a task named \"order-5\""), thrown::getMessage);
        assertEquals(List.of("refused 409"), OrderShop.TRIES);
        assertEquals(0, orders.count(5));
        scheduler.assertThat("shop", "order-5").doesNotExist();
    }

    @Test
    void an_invalid_task_is_refused_at_once_and_an_existing_one_kept_or_replaced() {
        TaskRefusedException invalid = assertThrows(
                TaskRefusedException.class,
                () -> tasks.schedule(OrderShop.CLOSE, new Order(1))
                        .on(TaskSchedule.cron("61 2 * * *"))
                        .named("bad"));
        assertEquals(400, invalid.status());
        assertTrue(invalid.getMessage().matches("(?s)[^:]*schedule.*"), invalid::getMessage);
        long id = tasks.schedule(OrderShop.CLOSE, new Order(1))
                .in(Duration.ofHours(1))
                .named("one")
                .id();
        assertEquals(
                id,
                tasks.schedule(OrderShop.CLOSE, new Order(1))
                        .in(Duration.ofHours(9))
                        .named("one")
                        .id());
        scheduler.assertThat("shop", "one").firesNextAt("2026-03-01T01:00:00Z");
        tasks.schedule(OrderShop.CLOSE, new Order(1))
                .in(Duration.ofHours(3))
                .ifExists(IfTaskExists.REPLACE)
                .named("one");
        scheduler.assertThat("shop", "one").firesNextAt("2026-03-01T03:00:00Z");
        List<TaskDraft> two = List.of(
                tasks.schedule(OrderShop.CLOSE, new Order(2)).draft().name("two"),
                tasks.schedule(OrderShop.CLOSE, new Order(1)).draft().name("one"));
        assertEquals(
                409,
                assertThrows(TaskRefusedException.class, () -> tasks.addAll(two, IfTaskExists.REFUSE))
                        .status());
        scheduler.assertThat("shop", "two").doesNotExist();
        scheduler.clock().advance(Duration.ofHours(4));
        tasks.schedule(OrderShop.CLOSE, new Order(1)).in(Duration.ofHours(1)).named("one");
        scheduler.assertThat("shop", "one").firesNextAt("2026-03-01T05:00:00Z").firedTimes(1);
    }

    @Test
    void a_key_that_no_handler_has_is_warned_of(CapturedOutput log) {
        tasks.put(
                TaskDraft.of(
                                TaskAction.java(HandlerKey.of("order.clsoe", Order.class)),
                                TaskSchedule.in(Duration.ofHours(1)))
                        .name("typo"),
                IfTaskExists.KEEP);
        assertTrue(
                log.getAll().contains("a task was stored, but no node has a java handler with the key \"order.clsoe\""),
                log::getAll);
    }

    @Test
    void retries_of_the_annotation_take_days() {
        tasks.schedule(OrderShop.FLAKY, new Order(1)).in(Duration.ofHours(1)).named("flaky");
        scheduler.clock().advance(Duration.ofDays(4));
        scheduler
                .assertThat("shop", "flaky")
                .latest()
                .succeeded()
                .hasAttempts(3)
                .startedAt(START.plus(Duration.ofHours(1 + 24 + 48)));
    }

    @Test
    void what_an_exactly_once_handler_writes_and_enqueues_is_committed_with_its_outcome_or_not_at_all() {
        tasks.schedule(OrderShop.BOOK, new Order(7)).in(Duration.ofHours(1)).named("booked");
        tasks.schedule(OrderShop.BOOK, new Order(-8)).in(Duration.ofHours(1)).named("failed");
        scheduler.clock().advance(Duration.ofMinutes(90));
        scheduler.assertThat("shop", "booked").succeeded();
        scheduler.assertThat("shop", "failed").latest().failed().hasErrorContaining("negative");
        assertEquals(1, orders.count(7));
        assertEquals(0, orders.count(-8));
        scheduler.assertThat("shop", "after-booked").firesNextAt("2026-03-01T02:00:00Z");
        scheduler.assertThat("shop", "after-failed").doesNotExist();
        // A transaction of its own, which the handler's failure does not undo.
        assertEquals(1, orders.count(-7999));
        scheduler.assertThat("shop", "order--7999").exists();
        scheduler.clock().advance(Duration.ofHours(1));
        assertEquals(START.plus(Duration.ofHours(2)), orders.closedAt(7));
    }

    @Test
    void a_recurring_method_runs_thirty_times_in_thirty_days_also_when_clocks_change() {
        scheduler.clock().advance(Duration.ofDays(30));
        scheduler
                .assertThat("shop", "close-day")
                .firedTimes(30)
                .succeeded()
                .at("2026-03-29T01:00:00Z")
                .succeeded();
    }

    @Test
    void a_failover_runs_what_the_application_says_and_an_outage_makes_up_for_one_night() {
        orders.place(1, false);
        scheduler.clock().advance(Duration.ofHours(48).plusMinutes(1));
        scheduler.assertThat("shop", "order-1").latest().isInState("RUNNING");
        scheduler.failover();
        scheduler.clock().advance(Duration.ofMinutes(10));
        scheduler.assertThat("shop", "order-1").latest().isInState("DROPPED");
        assertEquals("b", node.node().status().nodeId());
        scheduler.nodeDown(Duration.ofDays(3));
        scheduler.clock().advance(Duration.ofMinutes(1));
        scheduler.assertThat("shop", "close-day").hasStates("SUCCEEDED", "SUCCEEDED", "MISSED", "SUCCEEDED");
    }

    @Test
    void dead_letters_are_listed_and_run_again() {
        tasks.schedule(OrderShop.BOOK, new Order(-9)).in(Duration.ofHours(1)).named("dead");
        scheduler.clock().advance(Duration.ofHours(2));
        ExecutionSelection dead = ExecutionSelection.failed().ofTask("dead");
        ExecutionView found = tasks.executions(dead, 10, null).items().get(0);
        assertEquals("FAILED", found.state());
        assertEquals(
                found.id(),
                node.node()
                        .executions()
                        .list("shop", dead, 10, null)
                        .items()
                        .get(0)
                        .id());
        new TransactionTemplate(transactions).executeWithoutResult(status -> {
            ExecutionView again = tasks.rerun(found.id(), "again");
            assertEquals(
                    "PENDING 2 run again by hand: again", again.state() + " " + again.attempt() + " " + again.reason());
            scheduler.assertThat("shop", "dead").latest().failed();
        });
        assertEquals(
                404,
                assertThrows(TaskRefusedException.class, () -> tasks.rerun("999-1", ""))
                        .status());
        assertEquals(
                409,
                assertThrows(TaskRefusedException.class, () -> tasks.rerun(found.id(), ""))
                        .status());
        scheduler.clock().advance(Duration.ZERO);
        scheduler.assertThat("shop", "dead").latest().succeeded().hasAttempts(2);
        assertEquals(1, orders.count(-9));
        assertEquals(0, tasks.rerunAll(dead, "none is left"));
        assertEquals(
                400,
                assertThrows(TaskRefusedException.class, () -> tasks.rerunAll(ExecutionSelection.all(), ""))
                        .status());
    }

    @Test
    void a_task_of_a_type_that_needs_a_server_runs_by_its_stand_in() {
        tasks.put(
                TaskDraft.of(TaskAction.http("https://shop.example/remind"), TaskSchedule.in(Duration.ofDays(1)))
                        .name("remind"),
                IfTaskExists.KEEP);
        scheduler.clock().advance(Duration.ofDays(2));
        scheduler.assertThat("shop", "remind").latest().hasOutput("called remind");
    }

    @Test
    void a_handler_cannot_advance_the_clock() {
        tasks.schedule(OrderShop.IMPATIENT, new Order(1)).named("impatient");
        scheduler.clock().advance(Duration.ofSeconds(1));
        scheduler
                .assertThat("shop", "impatient")
                .latest()
                .failed()
                .hasErrorContaining("a handler must not advance the clock");
    }

    @Test
    void time_does_not_pass_inside_of_a_transaction() {
        new TransactionTemplate(transactions).executeWithoutResult(status -> {
            IllegalStateException thrown = assertThrows(
                    IllegalStateException.class, () -> scheduler.clock().advance(Duration.ofDays(1)));
            assertTrue(thrown.getMessage().contains("Remove @Transactional from the test"), thrown::getMessage);
        });
        assertEquals(START, scheduler.clock().instant());
    }

    /** The order of the methods does not matter, so two of them check the same. */
    @Test
    void each_test_begins_at_the_start_with_the_tasks_of_the_application() {
        beginsAnew();
    }

    @Test
    void each_test_begins_at_the_start_also_after_others() {
        beginsAnew();
    }

    private void beginsAnew() {
        assertEquals(START, clock.instant());
        assertEquals(
                List.of("close-day", "warm-up"),
                scheduler.tasks().list("shop", null, 0, 10).stream()
                        .map(task -> task.name())
                        .toList());
        assertTrue(scheduler.executions("shop", "close-day").isEmpty());
        Twinbell before = node.node();
        orders.place(1, false);
        scheduler.clock().advance(Duration.ofDays(3));
        scheduler.reset();
        assertSame(before, node.node());
        assertEquals(START, clock.instant());
        assertEquals(
                "a 1",
                node.node().status().nodeId() + " " + node.node().status().epoch());
        scheduler.assertThat("shop", "order-1").doesNotExist();
        assertTrue(scheduler.executions("shop", "order-1").isEmpty());
        scheduler.clock().advance(Duration.ofDays(1));
        scheduler.assertThat("shop", "close-day").firedTimes(1).succeeded();
    }

    @Nested
    class Inside {
        @Test
        void a_nested_class_is_in_virtual_time_too() {
            orders.place(1, false);
            scheduler.clock().advance(Duration.ofDays(3));
            scheduler.assertThat("shop", "order-1").firedTimes(1);
        }
    }

    @Test
    void a_context_that_stops_and_starts_again_has_its_tasks() {
        orders.place(1, false);
        node.stop();
        assertFalse(scheduler.isRunning());
        node.start();
        scheduler.assertThat("shop", "order-1").doesNotExist();
        scheduler.assertThat("shop", "close-day").firesNextAt("2026-03-01T01:30:00Z");
        scheduler.assertThat("shop", "warm-up").exists();
        assertNull(orders.closedAt(1));
    }

    @Test
    void actuator_shows_the_node(@Autowired HealthEndpoint health, @Autowired List<MeterBinder> meters) {
        assertEquals(Status.UP, health.healthForPath("twinbell").getStatus());
        scheduler.clock().advance(Duration.ofDays(1));
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        meters.forEach(binder -> binder.bindTo(registry));
        assertEquals(1, registry.get("twinbell.ready").gauge().value());
        assertEquals(
                2,
                registry.get("twinbell.executions")
                        .tag("state", "SUCCEEDED")
                        .functionCounter()
                        .count(),
                registry::getMetersAsString);
    }
}
