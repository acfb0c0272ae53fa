package io.twinbell.node.engine;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.twinbell.handler.InterceptedRun;
import io.twinbell.handler.InterceptorScope;
import io.twinbell.handler.ScopedInterceptor;
import io.twinbell.handler.TaskInterceptor;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.receiver.CallRefusedException;
import io.twinbell.receiver.CallTransactions;
import io.twinbell.receiver.ExactlyOnceReceiver;
import io.twinbell.receiver.ReceiverAnswer;
import io.twinbell.receiver.TwinbellCall;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A master freezes between its start check and its call, another one is promoted and reruns the slot, and the first one
 * thaws and calls. No rule of a scheduler prevents that call: the receiver must.
 */
@Timeout(1800)
class FrozenCallTest {
    private static final PGSimpleDataSource SCHEDULER = TestPostgres.freshDatabase();
    private static final PGSimpleDataSource APPLICATION = TestPostgres.emptyDatabase();

    private final TestTasks effects = new TestTasks(APPLICATION);
    private final Freeze freeze = new Freeze();
    private EngineBench first;
    private EngineBench next;
    private final Queue<Integer> statuses = new ConcurrentLinkedQueue<>();
    private final ExecutorService freezer = Executors.newSingleThreadExecutor();
    private HttpServer server;

    /** A point between the start check and the call, where the first master stands still until it is thawed. */
    private static final class Freeze implements TaskInterceptor {
        private volatile CountDownLatch isFrozen = new CountDownLatch(1);
        private volatile CountDownLatch isThawed = new CountDownLatch(1);

        @Override
        public Decision before(InterceptedRun run) throws InterruptedException {
            isFrozen.countDown();
            isThawed.await();
            return Decision.PROCEED;
        }

        void prepare() {
            isFrozen = new CountDownLatch(1);
            isThawed = new CountDownLatch(1);
        }
    }

    @BeforeEach
    void prepare() throws Exception {
        effects.execute("drop table if exists effect, twinbell_receiver_call, twinbell_receiver_epoch");
        effects.execute("create table effect (call_key text)");
        try (Connection connection = APPLICATION.getConnection()) {
            ExactlyOnceReceiver.createTables(connection);
        }
        TestPostgres.clear(SCHEDULER);
        first = new EngineBench(SCHEDULER, 10, List.of(new ScopedInterceptor(InterceptorScope.ALL, freeze)));
        next = new EngineBench(SCHEDULER, 10);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.start();
    }

    @AfterEach
    void stop() {
        first.close();
        next.close();
        server.stop(0);
        freezer.shutdownNow();
    }

    private static int take(Connection connection, String key) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into effect values (?)")) {
            insert.setString(1, key);
            insert.executeUpdate();
        }
        return 200;
    }

    private void answerWith(Answering answering) {
        server.createContext("/", exchange -> {
            int status;
            try {
                exchange.getRequestBody().readAllBytes();
                status = answering.answer(exchange);
            } catch (CallRefusedException e) {
                status = e.status();
            } catch (Exception e) {
                status = 500;
            }
            statuses.add(status);
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
    }

    @FunctionalInterface
    private interface Answering {
        int answer(HttpExchange exchange) throws Exception;
    }

    private void freezePromoteAndThaw(String task) throws Exception {
        freeze.prepare();
        first.tasks.insert(
                task, """
                {"schedule":%s,"start":"2026-01-05T00:00:00.000Z","orphan":"RERUN",
                 "handler":{"type":"http","method":"POST","url":"http://127.0.0.1:%s/pay"}}""".formatted(StoredTasks.ONCE, server.getAddress().getPort()), first.nowMillis - 1000);
        first.begin();
        Future<?> call = freezer.submit(first::fireAllAndDie);
        assertTrue(freeze.isFrozen.await(30, TimeUnit.SECONDS), "the first master begins the run");
        next.succeed();
        next.fireAll();
        await().until(() -> {
            next.record();
            return next.tasks
                    .query("select state || ' ' || attempt from twinbell.execution where name = '" + task + "'")
                    .equals(List.of("SUCCEEDED 2"));
        });
        int before = statuses.size();
        freeze.isThawed.countDown();
        call.get();
        await().until(() -> statuses.size() > before);
        first.record();
    }

    private void receiveExactlyOnce(int rounds) throws Exception {
        ExactlyOnceReceiver receiver =
                ExactlyOnceReceiver.builder(CallTransactions.of(APPLICATION)).build();
        answerWith(exchange -> {
            TwinbellCall call = TwinbellCall.of(exchange.getRequestHeaders()::getFirst);
            return receiver.receive(call, connection -> ReceiverAnswer.of(take(connection, call.key())))
                    .status();
        });
        for (int round = 1; round <= rounds; round++) {
            freezePromoteAndThaw("pay" + round);
            assertEquals(round, effects.number("select count(*) from effect"), "in round " + round);
            assertEquals(round, effects.number("select count(distinct call_key) from effect"), "in round " + round);
            assertEquals(List.of(200, 409), List.copyOf(statuses), "the new master's call, and the thawed one's");
            statuses.clear();
        }
    }

    @Test
    void a_call_that_thaws_after_a_takeover_has_no_effect_at_a_receiver_with_a_memory() throws Exception {
        receiveExactlyOnce(5);
    }

    @Tag("thorough")
    @Test
    void a_thousand_thawed_calls_have_no_effect_at_a_receiver_with_a_memory() throws Exception {
        receiveExactlyOnce(1000);
    }

    /** What this test guards against does happen. */
    @Test
    void without_a_memory_the_effect_happens_twice() throws Exception {
        answerWith(exchange -> {
            try (Connection connection = APPLICATION.getConnection()) {
                return take(connection, exchange.getRequestHeaders().getFirst("Idempotency-Key"));
            }
        });
        freezePromoteAndThaw("pay");
        assertEquals(2, effects.number("select count(*) from effect"));
        assertEquals(1, effects.number("select count(distinct call_key) from effect"));
    }
}
