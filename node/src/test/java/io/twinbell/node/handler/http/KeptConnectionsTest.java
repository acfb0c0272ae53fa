package io.twinbell.node.handler.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.task.definition.HandlerSpec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A receiver that closes the connections it has kept, just as hundreds of calls take them up again. */
@Timeout(60)
class KeptConnectionsTest {
    private static final int ROUNDS = 20;
    private static final int AT_ONCE = 300;

    private final HttpCaller caller = HttpCalls.caller(List.of(), Map.of());
    private final ExecutorService serving = Executors.newCachedThreadPool();
    private final Set<Socket> kept = ConcurrentHashMap.newKeySet();
    private final Map<String, AtomicInteger> received = new ConcurrentHashMap<>();
    private ServerSocket receiver;

    @BeforeEach
    void open() throws IOException {
        receiver = new ServerSocket(0, AT_ONCE, InetAddress.getLoopbackAddress());
        serving.submit(() -> {
            while (true) {
                Socket connection = receiver.accept();
                kept.add(connection);
                serving.submit(() -> serve(connection));
            }
        });
    }

    @AfterEach
    void close() throws IOException {
        caller.close();
        receiver.close();
        closeAll();
        serving.shutdownNow();
    }

    private Void serve(Socket connection) throws IOException {
        try (connection;
                BufferedReader requests = new BufferedReader(
                        new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII))) {
            for (String first = requests.readLine(); first != null; first = requests.readLine()) {
                received.computeIfAbsent(first, path -> new AtomicInteger()).incrementAndGet();
                while (!requests.readLine().isEmpty()) {
                    // The headers are of no interest.
                }
                connection
                        .getOutputStream()
                        .write("HTTP/1.1 204 No Content\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            }
        } finally {
            kept.remove(connection);
        }
        return null;
    }

    private void closeAll() throws IOException {
        for (Socket connection : kept) {
            connection.close();
        }
    }

    private List<CompletableFuture<HandlerOutcome>> call(String round) {
        List<CompletableFuture<HandlerOutcome>> calls = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            String url = "http://127.0.0.1:" + receiver.getLocalPort() + "/" + round + "-" + i;
            HandlerSpec.HttpCall spec = HttpCalls.spec("GET", url, Map.of(), null, HandlerSpec.HttpRules.DEFAULT);
            calls.add(caller.start(HttpCalls.call(spec, null), spec));
        }
        return calls;
    }

    @Test
    void a_request_that_was_not_sent_goes_on_another_connection_and_none_is_sent_twice() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            awaitAll(call(round + "-first"));
            Future<Void> closing = serving.submit(() -> {
                closeAll();
                return null;
            });
            awaitAll(call(round + "-second"));
            closing.get();
        }
        assertTrue(received.size() >= AT_ONCE, "calls arrived: " + received.size());
        received.forEach((path, times) -> assertEquals(1, times.get(), path));
    }

    /** What was on its way when its connection was closed is in doubt, and may fail; what was not sent may not. */
    private static void awaitAll(List<CompletableFuture<HandlerOutcome>> calls) throws Exception {
        for (CompletableFuture<HandlerOutcome> call : calls) {
            String error = call.get().error();
            assertFalse(error != null && error.contains("NotExecuted"), error);
        }
    }
}
