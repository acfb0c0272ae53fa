package io.twinbell.node.handler.store;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CompletingTransactionsTest {
    private final CountDownLatch isChecking = new CountDownLatch(1);
    private final CountDownLatch answer = new CountDownLatch(1);
    private final AtomicInteger checks = new AtomicInteger();
    private final AtomicInteger begun = new AtomicInteger();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();

    private final CompletingTransactions transactions = new CompletingTransactions(
            source(() -> {
                checks.incrementAndGet();
                isChecking.countDown();
                assertTrue(answer.await(50, TimeUnit.SECONDS));
                throw new SQLException("refused");
            }),
            new CompletingTransactions.Restricted(
                    source(() -> {
                        begun.incrementAndGet();
                        throw new SQLException("not checked");
                    }),
                    "role",
                    "test"),
            () -> 0);

    private static DataSource source(Callable<Object> connect) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> connect.call());
    }

    @Test
    void a_concurrent_run_waits_for_the_first_check_of_the_role_and_checks_again_if_it_fails() throws Exception {
        Thread first = start();
        assertTrue(isChecking.await(50, TimeUnit.SECONDS));
        Thread second = start();
        await().atMost(Duration.ofSeconds(50))
                .until(() ->
                        List.of(Thread.State.BLOCKED, Thread.State.TERMINATED).contains(second.getState()));
        answer.countDown();
        first.join();
        second.join();
        assertEquals(List.of("refused", "refused"), List.copyOf(failures));
        assertEquals(0, begun.get(), "no run uses a role that is not admitted");
        assertEquals(2, checks.get());
    }

    private Thread start() {
        Thread run = new Thread(() -> {
            try {
                transactions.restricted(null, null).run(null);
            } catch (Exception e) {
                failures.add(e.getMessage());
            }
        });
        run.setDaemon(true);
        run.start();
        return run;
    }
}
