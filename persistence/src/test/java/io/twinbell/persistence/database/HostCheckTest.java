package io.twinbell.persistence.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HostCheckTest {
    private static final ServerHistory.Position POSITION = new ServerHistory.Position(1, 2, 3);

    private final DatabaseSettings several = settings("jdbc:postgresql://one:1,two:2,three:3/pair");
    private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();

    private static DatabaseSettings settings(String url) {
        return new DatabaseSettings(url, "u", "secret", "a", UUID.randomUUID());
    }

    @Test
    void all_hosts_are_asked_at_the_same_time() throws Exception {
        CountDownLatch met = new CountDownLatch(3);
        HostCheck check = new HostCheck((settings, host, properties) -> {
            met.countDown();
            await(met);
            return host.equals("three:3") ? Optional.empty() : Optional.of(POSITION);
        });
        assertEquals(
                List.of(new HostCheck.Primary("one:1", POSITION), new HostCheck.Primary("two:2", POSITION)),
                check.begin(several, new Properties()).get(60, TimeUnit.SECONDS));
    }

    @Test
    void sessions_that_are_opened_meanwhile_share_the_check() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        HostCheck check = new HostCheck((settings, host, properties) -> {
            asked.add(host);
            await(answer);
            return Optional.empty();
        });
        CompletableFuture<List<HostCheck.Primary>> first = check.begin(several, new Properties());
        assertSame(first, check.begin(several, new Properties()));
        assertFalse(first.isDone());
        answer.countDown();
        first.get(60, TimeUnit.SECONDS);
        assertEquals(3, asked.size());
    }

    @Test
    void a_host_that_cannot_be_asked_does_not_fail_the_session() throws Exception {
        HostCheck check = new HostCheck((settings, host, properties) -> {
            if (host.equals("two:2")) {
                throw new IllegalStateException("an invalid answer");
            }
            return Optional.of(POSITION);
        });
        assertEquals(
                2,
                check.begin(several, new Properties()).get(60, TimeUnit.SECONDS).size());
    }

    @Test
    void a_single_host_is_not_asked() {
        HostCheck check = new HostCheck((settings, host, properties) -> {
            asked.add(host);
            return Optional.empty();
        });
        assertTrue(check.begin(settings("jdbc:postgresql://one:1/pair"), new Properties())
                .isDone());
        assertEquals(0, asked.size());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
