package io.twinbell.node.api.server;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectionsTest {
    @Test
    void a_pass_that_fails_is_followed_by_the_next_one() throws Exception {
        AtomicInteger passes = new AtomicInteger();
        Duration minute = Duration.ofMinutes(1);
        Connections connections = new Connections(
                new Connections.Bounds(10, 10, new Connections.Patience(minute, minute, minute, minute, 1)), () -> {
                    if (passes.incrementAndGet() == 1) {
                        throw new IllegalStateException("the first pass fails");
                    }
                    return 0;
                });
        Server server = new Server();
        server.setHandler(connections);
        server.start();
        try {
            await().until(() -> passes.get() > 1);
        } finally {
            server.stop();
        }
    }
}
