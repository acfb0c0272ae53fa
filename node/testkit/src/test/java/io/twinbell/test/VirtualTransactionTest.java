package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.client.ExecutionSelection;
import io.twinbell.client.HandlerKey;
import io.twinbell.client.IfTaskExists;
import io.twinbell.client.JdbcTaskClient;
import io.twinbell.client.RetryPolicy;
import io.twinbell.client.TaskRefusedException;
import io.twinbell.handler.TransactionalHandler;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Clients and transactional handlers in virtual time, with a database of the application. */
class VirtualTransactionTest {
    private static final HandlerKey<Integer> BOOK = HandlerKey.of("book", Integer.class);
    private static final HandlerKey<Integer> NEXT = HandlerKey.of("next", Integer.class);

    @Test
    void a_transactional_handler_commits_in_the_database_of_the_application_or_rolls_back() {
        PGSimpleDataSource database = TestPostgres.freshDatabase();
        TestTasks tables = new TestTasks(database);
        tables.execute("create table booking (number bigint)");
        TransactionalHandler book = context -> {
            context.connection().createStatement().execute("insert into booking values (" + context.data() + ")");
            return context.data().equals("1") ? "booked" : Integer.parseInt("none");
        };
        try (TestScheduler scheduler = TestScheduler.builder()
                .dataSource(database)
                .handler("book", book)
                .start()) {
            JdbcTaskClient client = scheduler.client("shop");
            client.schedule(BOOK, 1).named("one");
            client.schedule(BOOK, 2).named("two");
            scheduler.clock().advance(Duration.ofSeconds(1));
            scheduler.assertThat("shop", "one").latest().succeeded().hasOutput("booked");
            scheduler.assertThat("shop", "two").latest().failed().hasErrorContaining("NumberFormatException");
            tables.assertRows("select number from booking", "1");
            assertFalse(client.cancel("one"), "too late");
            scheduler.assertThat("shop", "one").latest().succeeded();
        }
    }

    @Test
    void what_a_transactional_handler_enqueues_takes_effect_only_if_the_handler_succeeds() {
        TestScheduler[] made = new TestScheduler[1];
        TransactionalHandler book = context -> {
            TaskTransaction own = made[0].transactionOfHandler().orElseThrow();
            JdbcTaskClient.calling(own, "shop").schedule(NEXT, 1).named("after-" + context.name());
            own.commit();
            return context.data().equals("1") ? "booked" : Integer.parseInt("none");
        };
        try (TestScheduler scheduler = TestScheduler.builder()
                .dataSource(TestPostgres.freshDatabase())
                .handler("book", book)
                .handler("next", context -> null)
                .start()) {
            made[0] = scheduler;
            scheduler.client("shop").schedule(BOOK, 1).named("one");
            scheduler.client("shop").schedule(BOOK, 2).named("two");
            scheduler.clock().advance(Duration.ofSeconds(1));
            scheduler.assertThat("shop", "after-one").exists();
            scheduler.assertThat("shop", "after-two").doesNotExist();
        }
    }

    @Test
    void a_cancellation_between_two_attempts_comes_too_late_and_does_not_stop_the_retries() {
        AtomicInteger attempts = new AtomicInteger();
        try (TestScheduler scheduler = TestScheduler.builder()
                .handler("book", context -> {
                    if (attempts.incrementAndGet() == 1) {
                        throw new IllegalStateException("not yet");
                    }
                    return "booked";
                })
                .start()) {
            JdbcTaskClient client = scheduler.client("shop");
            client.schedule(BOOK, 1)
                    .with(task -> task.retry(RetryPolicy.attempts(2).backoff(Duration.ofMinutes(1))))
                    .named("flaky");
            scheduler.clock().advance(Duration.ofSeconds(1));
            assertEquals(1, attempts.get());
            assertFalse(client.cancel("flaky"));
            scheduler.clock().advance(Duration.ofMinutes(2));
            scheduler.assertThat("shop", "flaky").latest().succeeded().hasOutput("booked");
        }
    }

    @Test
    void a_transactional_handler_without_a_database_is_refused_with_what_to_do() {
        TransactionalHandler book = context -> null;
        TestScheduler.Builder builder = TestScheduler.builder().handler("book", book);
        UnsupportedOperationException refused = assertThrows(UnsupportedOperationException.class, builder::start);
        assertTrue(refused.getMessage().contains("dataSource("), refused::getMessage);
    }

    @Test
    void calls_of_a_transaction_take_effect_together_and_a_savepoint_takes_some_back() {
        try (TestScheduler scheduler =
                TestScheduler.builder().handler("book", context -> null).start()) {
            TaskTransaction transaction = scheduler.transaction();
            JdbcTaskClient client = JdbcTaskClient.calling(transaction, "shop");
            client.schedule(BOOK, 1).named("one");
            Object savepoint = transaction.savepoint();
            client.schedule(BOOK, 2).named("two");
            assertThrows(
                    TaskRefusedException.class,
                    () -> client.schedule(BOOK, 1).ifExists(IfTaskExists.REFUSE).named("one"));
            assertThrows(IllegalStateException.class, () -> client.cancel("one"));
            transaction.rollBackTo(savepoint);
            assertTrue(transaction.refusal().isEmpty());
            scheduler.assertThat("shop", "one").doesNotExist();
            transaction.commit();
            scheduler.assertThat("shop", "one").exists();
            scheduler.assertThat("shop", "two").doesNotExist();
        }
    }

    @Test
    void executions_are_listed_page_by_page_newest_first() {
        try (TestScheduler scheduler = TestScheduler.builder()
                .handler("book", FailingHandler.attempts(1, context -> "at last"))
                .start()) {
            JdbcTaskClient client = scheduler.client("shop");
            for (int i = 1; i <= 3; i++) {
                client.schedule(BOOK, i).in(Duration.ofHours(i)).named("n" + i);
            }
            scheduler.clock().advance(Duration.ofHours(4));
            var first = client.executions(ExecutionSelection.failed(), 2, null);
            assertEquals(
                    List.of("n3", "n2"),
                    first.items().stream().map(one -> one.name()).toList());
            var second = client.executions(ExecutionSelection.failed(), 2, first.next());
            assertEquals(
                    List.of("n1"),
                    second.items().stream().map(one -> one.name()).toList());
            assertEquals(
                    List.of("n2"),
                    client
                            .executions(
                                    ExecutionSelection.failed().from(hour(2)).until(hour(3)), 9, null)
                            .items()
                            .stream()
                            .map(one -> one.name())
                            .toList());
            assertEquals(3, client.rerunAll(ExecutionSelection.failed(), "again"));
            scheduler.clock().advance(Duration.ofSeconds(1));
            scheduler.assertThat("shop", "n2").latest().succeeded().hasAttempts(2);
        }
    }

    private static Instant hour(int hour) {
        return Instant.parse("2026-01-01T00:00:00Z").plus(Duration.ofHours(hour));
    }

    /** As a handler that calls the application's own web server, whose thread enqueues. */
    @Test
    void a_handler_may_wait_for_another_thread_that_enqueues() {
        TestScheduler[] made = new TestScheduler[1];
        try (TestScheduler scheduler = TestScheduler.builder()
                .handler("next", context -> null)
                .handler(
                        "book",
                        context -> CompletableFuture.supplyAsync(() -> made[0].client("shop")
                                        .schedule(NEXT, 1)
                                        .named("next")
                                        .name())
                                .join())
                .start()) {
            made[0] = scheduler;
            scheduler.client("shop").schedule(BOOK, 1).named("one");
            scheduler.clock().advance(Duration.ofSeconds(1));
            scheduler.assertThat("shop", "one").latest().hasOutput("next");
            scheduler.assertThat("shop", "next").firedTimes(1);
        }
    }

    @Test
    void a_reset_goes_back_to_the_mark_also_while_a_run_takes_time() {
        try (TestScheduler scheduler = TestScheduler.builder()
                .startingAt("2026-03-01T00:00:00Z")
                .handler("book", context -> null)
                .takes("book", Duration.ofHours(1))
                .start()) {
            JdbcTaskClient client = scheduler.client("shop");
            client.schedule(BOOK, 1).in(Duration.ofHours(2)).named("kept");
            scheduler.clock().advance(Duration.ofHours(1));
            scheduler.mark();
            client.schedule(BOOK, 2).in(Duration.ofMinutes(1)).named("forgotten");
            scheduler.clock().advance(Duration.ofMinutes(90));
            scheduler.assertThat("shop", "kept").latest().isInState("RUNNING");
            scheduler.reset();
            assertEquals(
                    Instant.parse("2026-03-01T01:00:00Z"), scheduler.clock().instant());
            scheduler.assertThat("shop", "kept").hasNotFired().firesNextAt("2026-03-01T02:00:00Z");
            scheduler.assertThat("shop", "forgotten").doesNotExist();
            scheduler.clock().advance(Duration.ofHours(3));
            scheduler.assertThat("shop", "kept").firedTimes(1).succeeded();
        }
    }
}
