package io.twinbell.node.handler.http;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.handler.config.HostList;
import io.twinbell.node.handler.secret.Secrets;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.template.HttpUrl;
import io.twinbell.persistence.ledger.ExecutionState;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.RequestNotExecutedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the client says of a request, before a receiver that takes connections and never answers. */
@Timeout(30)
class HttpExchangeTest {
    private static final Duration LONGER_THAN_A_REST = Duration.ofMillis(300);

    private final HttpTransport wire = new HttpTransport(CallRoute.direct(new CallTargets(HostList.EMPTY)));
    private final HttpExchange exchange = new HttpExchange(
            wire,
            HandlerSpec.HttpRules.DEFAULT,
            new Secrets(Map.of()).ask("app", HttpUrl.parse("http://127.0.0.1/")),
            receiver -> Optional.empty());
    private final ExecutorService serving = Executors.newSingleThreadExecutor();
    private final List<Socket> connections = new CopyOnWriteArrayList<>();
    private ServerSocket receiver;
    private CompletableFuture<HandlerOutcome> outcome;

    @BeforeEach
    void begin() throws IOException {
        receiver = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        serving.submit(() -> {
            while (true) {
                connections.add(receiver.accept());
            }
        });
        HttpUrl url = HttpUrl.parse("http://127.0.0.1:" + receiver.getLocalPort() + "/");
        outcome = exchange.begin(new HttpMessage("POST", url, Map.of(), Map.of(), null));
        await().until(() -> connections.size() == 1);
    }

    @AfterEach
    void end() throws IOException {
        wire.close();
        receiver.close();
        for (Socket connection : connections) {
            connection.close();
        }
        serving.shutdownNow();
    }

    @Test
    void an_unsent_request_is_retried_on_five_other_connections_and_then_fails() throws Exception {
        for (int times = 1; times <= 5; times++) {
            int connected = times + 1;
            exchange.failed(new RequestNotExecutedException());
            await().until(() -> connections.size() == connected);
            assertFalse(outcome.isDone());
        }
        exchange.failed(new RequestNotExecutedException());
        assertEquals(ExecutionState.FAILED, outcome.get().state());
        assertEquals(
                "CONNECTION_LOST: Connection is closed",
                outcome.get().errorCode() + ": " + outcome.get().error());
    }

    @Test
    void a_request_that_may_have_been_sent_fails_at_once() throws Exception {
        exchange.failed(new ConnectionClosedException());
        assertEquals(ExecutionState.FAILED, outcome.get().state());
        await().during(LONGER_THAN_A_REST).until(() -> connections.size() == 1);
    }

    @Test
    void a_call_cancelled_before_its_repetition_is_not_sent() {
        exchange.failed(new RequestNotExecutedException());
        await().until(() -> connections.size() == 2);
        exchange.failed(new RequestNotExecutedException());
        outcome.cancel(true);
        await().during(LONGER_THAN_A_REST).until(() -> connections.size() == 2);
    }
}
