package io.twinbell.receiver;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that repeat, overlap, fail and come late, against real databases. */
@ParameterizedClass
@ValueSource(strings = {"postgresql", "h2"})
@Timeout(60)
class ExactlyOnceReceiverTest {
    /** The SQL states of PostgreSQL and H2 for a lock that was not free in time. */
    private static final Set<String> LOCKED = Set.of("55P03", "HYT00");

    @Parameter
    private String product;

    private DataSource database;
    private ExactlyOnceReceiver receiver;

    @BeforeEach
    void create() throws SQLException {
        database = ReceiverDatabases.fresh(product);
        receiver = ExactlyOnceReceiver.builder(CallTransactions.of(database)).build();
    }

    private static TwinbellCall call(String key, int attempt, long epoch) {
        return new TwinbellCall(key, attempt, epoch, "42");
    }

    private static void book(Connection connection, String name) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into effect values (?)")) {
            insert.setString(1, name);
            insert.executeUpdate();
        }
    }

    private static CallEffect booking(String name) {
        return connection -> {
            book(connection, name);
            return ReceiverAnswer.of(200, "booked " + name);
        };
    }

    private long effects() throws SQLException {
        return ReceiverDatabases.number(database, "select count(*) from effect");
    }

    @Test
    void a_repeated_call_gets_the_remembered_answer_and_no_second_effect() throws Exception {
        ReceiverAnswer first = receiver.receive(call("42/1000", 1, 7), booking("first"));
        ReceiverAnswer again = receiver.receive(call("42/1000", 2, 7), booking("second"));
        assertEquals(1, effects());
        assertEquals(first.status(), again.status());
        assertEquals(first.contentType(), again.contentType());
        assertArrayEquals(first.body(), again.body());
        receiver.receive(call("42/2000", 1, 7), booking("another slot"));
        assertEquals(2, effects());
    }

    @Test
    void an_answer_that_is_no_success_leaves_nothing_and_the_next_attempt_takes_effect() throws Exception {
        ReceiverAnswer failed = receiver.receive(call("k", 1, 1), connection -> {
            book(connection, "half");
            return ReceiverAnswer.of(503, "later");
        });
        assertEquals(503, failed.status());
        assertThrows(
                ArithmeticException.class,
                () -> receiver.receive(call("k", 2, 1), connection -> {
                    book(connection, "half");
                    throw new ArithmeticException("no");
                }));
        assertEquals(0, effects());
        assertEquals(200, receiver.receive(call("k", 3, 1), booking("whole")).status());
        assertEquals(1, effects());
    }

    @Test
    void a_call_of_an_older_epoch_is_refused_also_by_another_process() throws Exception {
        receiver.receive(call("a", 1, 8), booking("new master"));
        ExactlyOnceReceiver other =
                ExactlyOnceReceiver.builder(CallTransactions.of(database)).build();
        for (ExactlyOnceReceiver each : List.of(receiver, other)) {
            CallRefusedException refused = assertThrows(
                    CallRefusedException.class, () -> each.receive(call("b", 1, 7), booking("old master")));
            assertEquals(409, refused.status());
            assertTrue(refused.getMessage().contains("epoch 7 is over"), refused.getMessage());
        }
        assertEquals(1, effects());
        assertEquals(8, ReceiverDatabases.number(database, "select epoch from twinbell_receiver_epoch"));
    }

    @Test
    void an_effect_of_an_older_epoch_that_began_before_does_not_commit_after_a_newer_call() throws Exception {
        CallRefusedException refused = assertThrows(
                CallRefusedException.class,
                () -> receiver.receive(call("slow", 1, 7), connection -> {
                    book(connection, "old master");
                    receiver.receive(call("other", 1, 8), booking("new master"));
                    return ReceiverAnswer.of(200);
                }));
        assertEquals(409, refused.status());
        assertEquals(1, effects());
    }

    /** Whether another process could store this epoch at once. */
    private boolean isRaisedAtOnce(long epoch) throws SQLException {
        try (Connection other = database.getConnection();
                Statement statement = other.createStatement()) {
            statement.execute("set lock_timeout = 1");
            return statement.executeUpdate("update twinbell_receiver_epoch set epoch = " + epoch) == 1;
        } catch (SQLException e) {
            if (!LOCKED.contains(e.getSQLState())) {
                throw e;
            }
            return false;
        }
    }

    @Test
    void no_newer_epoch_is_stored_between_the_last_check_of_an_older_one_and_its_commit() throws Exception {
        AtomicBoolean hasRun = new AtomicBoolean();
        List<Boolean> raised = new ArrayList<>();
        DataSource watched = watched((called, values) -> {
            if (called.getName().equals("commit") && hasRun.get()) {
                raised.add(isRaisedAtOnce(8));
            }
        });
        ExactlyOnceReceiver.builder(CallTransactions.of(watched)).build().receive(call("k", 1, 7), connection -> {
            hasRun.set(true);
            return ReceiverAnswer.of(200);
        });
        assertEquals(List.of(false), raised, "it has checked, and is about to commit");
        assertTrue(isRaisedAtOnce(8));
    }

    @Test
    void a_source_whose_epochs_begin_again_is_accepted_once_its_row_is_deleted() throws Exception {
        receiver.receive(call("a", 1, 100), booking("before the restore"));
        assertThrows(CallRefusedException.class, () -> receiver.receive(call("b", 1, 3), booking("after")));
        ReceiverDatabases.execute(database, "delete from twinbell_receiver_epoch where source = 'twinbell'");
        assertEquals(200, receiver.receive(call("b", 1, 3), booking("after")).status());
    }

    @Test
    void an_epoch_whose_row_is_deleted_while_its_master_calls_is_stored_again() throws Exception {
        receiver.receive(call("a", 1, 8), booking("before"));
        ReceiverDatabases.execute(database, "delete from twinbell_receiver_epoch");
        receiver.receive(call("b", 1, 8), booking("after"));
        assertThrows(CallRefusedException.class, () -> receiver.receive(call("c", 1, 7), booking("old master")));
    }

    @Test
    void equal_keys_of_two_sources_are_two_calls() throws Exception {
        ExactlyOnceReceiver other = ExactlyOnceReceiver.builder(CallTransactions.of(database))
                .source("second pair")
                .build();
        receiver.receive(call("1/1000", 1, 9), booking("one"));
        assertEquals(200, other.receive(call("1/1000", 1, 2), booking("two")).status());
        assertEquals(2, effects());
    }

    @Test
    void of_many_equal_calls_at_once_one_takes_effect_and_all_are_answered_alike() throws Exception {
        int threads = 16;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            for (int round = 0; round < 20; round++) {
                String key = "slot" + round;
                List<Callable<ReceiverAnswer>> calls = new ArrayList<>();
                for (int i = 0; i < threads; i++) {
                    String name = key + " by " + i;
                    calls.add(() -> receiver.receive(call(key, 1, 1), booking(name)));
                }
                String told = null;
                for (Future<ReceiverAnswer> answer : pool.invokeAll(calls)) {
                    String body = new String(answer.get().body());
                    told = told == null ? body : told;
                    assertEquals(told, body);
                }
                assertEquals(round + 1, effects());
            }
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void a_call_that_is_still_being_worked_on_after_the_patience_is_answered_503() throws Exception {
        ExactlyOnceReceiver hasty = ExactlyOnceReceiver.builder(CallTransactions.of(database))
                .patience(Duration.ofSeconds(1))
                .build();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            Future<ReceiverAnswer> slow = pool.submit(() -> hasty.receive(call("k", 1, 1), connection -> {
                book(connection, "slow");
                entered.countDown();
                mayEnd.await();
                return ReceiverAnswer.of(204);
            }));
            entered.await();
            CallRefusedException refused =
                    assertThrows(CallRefusedException.class, () -> hasty.receive(call("k", 1, 1), booking("fast")));
            assertEquals(503, refused.status(), refused.getMessage());
            mayEnd.countDown();
            assertEquals(204, slow.get().status());
            assertEquals(204, hasty.receive(call("k", 1, 1), booking("fast")).status());
            assertEquals(1, effects());
        } finally {
            mayEnd.countDown();
            pool.shutdownNow();
            assertTrue(pool.awaitTermination(30, TimeUnit.SECONDS));
        }
    }

    @Test
    void only_calls_older_than_the_memory_are_forgotten_the_oldest_first() throws Exception {
        for (int day = 0; day < 5; day++) {
            Clock then =
                    Clock.offset(Clock.systemUTC(), Duration.ofDays(day - 32).plusHours(1));
            ExactlyOnceReceiver.builder(CallTransactions.of(database))
                    .clock(then)
                    .build()
                    .receive(call("k" + day, 1, 1), booking("e" + day));
        }
        assertEquals(1, receiver.forget(1));
        assertEquals(
                0,
                ReceiverDatabases.number(
                        database, "select count(*) from twinbell_receiver_call where call_key = 'k0'"));
        assertEquals(1, receiver.forget(100));
        assertEquals(3, ReceiverDatabases.number(database, "select count(*) from twinbell_receiver_call"));
    }

    @Test
    void a_long_answer_is_repeated_up_to_64_kibibytes() throws Exception {
        String text = "x".repeat(70_000);
        assertEquals(
                70_000,
                receiver.receive(call("k", 1, 1), connection -> ReceiverAnswer.of(200, text))
                        .body()
                        .length);
        assertEquals(65_536, receiver.receive(call("k", 1, 1), booking("no")).body().length);
    }

    @Test
    void a_missing_table_is_named_with_what_creates_it() throws Exception {
        ReceiverDatabases.execute(database, "drop table twinbell_receiver_call");
        SQLException failure = assertThrows(SQLException.class, () -> receiver.receive(call("k", 1, 1), booking("no")));
        assertTrue(failure.getMessage().contains("createTables"), failure.getMessage());
    }

    /** Is told of each call of a connection before it is made, and may fail in its place. */
    @FunctionalInterface
    private interface ConnectionWatch {
        void before(Method called, Object[] values) throws SQLException;
    }

    private DataSource watched(ConnectionWatch watch) {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (source, method, arguments) -> {
                    Connection real = (Connection) method.invoke(database, arguments);
                    return Proxy.newProxyInstance(
                            getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, called, values) -> {
                                watch.before(called, values);
                                return called.invoke(real, values);
                            });
                });
    }

    /** Connections to the database that fail to roll back. */
    private DataSource withoutRollback() {
        return watched((called, values) -> {
            if (called.getName().equals("rollback") && values == null) {
                throw new SQLException("the network is gone");
            }
        });
    }

    @Test
    void what_cannot_be_rolled_back_is_not_committed_either() throws Exception {
        ExactlyOnceReceiver cutOff = ExactlyOnceReceiver.builder(CallTransactions.of(withoutRollback()))
                .build();
        cutOff.receive(call("k", 1, 1), connection -> {
            book(connection, "half");
            return ReceiverAnswer.of(503);
        });
        assertEquals(0, effects());
        assertEquals(200, receiver.receive(call("k", 2, 1), booking("whole")).status());
    }

    @Test
    void several_processes_may_create_the_tables_at_once() throws Exception {
        // H2 is part of one process.
        int threads = product.equals("h2") ? 1 : 8;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            for (int round = 0; round < 10; round++) {
                ReceiverDatabases.execute(database, "drop table twinbell_receiver_call");
                ReceiverDatabases.execute(database, "drop table twinbell_receiver_epoch");
                CyclicBarrier together = new CyclicBarrier(threads);
                Callable<Void> create = () -> {
                    try (Connection connection = database.getConnection()) {
                        together.await();
                        ExactlyOnceReceiver.createTables(connection);
                    }
                    return null;
                };
                for (Future<Void> done : pool.invokeAll(Collections.nCopies(threads, create))) {
                    done.get();
                }
            }
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void the_patience_does_not_limit_the_statements_of_the_effect() throws Exception {
        receiver.receive(call("k", 1, 1), connection -> {
            try (Statement own = connection.createStatement()) {
                return ReceiverAnswer.of(200, "limit " + own.getQueryTimeout());
            }
        });
        assertEquals(
                "limit 0",
                new String(receiver.receive(call("k", 2, 1), booking("no")).body()));
    }
}
