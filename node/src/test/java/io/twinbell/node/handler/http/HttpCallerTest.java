package io.twinbell.node.handler.http;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.template.HttpUrl;
import io.twinbell.persistence.ledger.ExecutionState;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The http handler against a real server. */
@Timeout(30)
class HttpCallerTest {
    private final HttpCaller caller = HttpCalls.caller(List.of(), Map.of());
    private final ExecutorService serving = Executors.newCachedThreadPool();
    private final LinkedBlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    private HttpServer server;

    private record Request(String method, String path, Headers headers, String body) {}

    @FunctionalInterface
    private interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    @BeforeEach
    void startServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1000);
        server.setExecutor(serving);
        server.start();
    }

    @AfterEach
    void stop() {
        caller.close();
        server.stop(0);
        serving.shutdownNow();
    }

    @Test
    void a_call_carries_the_contracts_headers_unquoted() throws Exception {
        answer("/x", exchange -> exchange.sendResponseHeaders(204, -1));
        call("GET", "/x", Map.of(), null).get();
        Headers headers = requests.take().headers();
        assertEquals("7/2026-03-29T01:00:00.000Z", headers.getFirst("Idempotency-Key"));
        assertEquals("3", headers.getFirst("Twinbell-Attempt"));
        assertEquals("42", headers.getFirst("Twinbell-Epoch"));
        assertEquals("2026-03-29T01:00:00.000Z", headers.getFirst("Twinbell-Fire-Time"));
        assertEquals("7", headers.getFirst("Twinbell-Task"));
    }

    @Test
    void method_headers_and_body_are_sent_as_the_task_says() throws Exception {
        answer("/x", exchange -> exchange.sendResponseHeaders(200, -1));
        call("PATCH", "/x?q=1", Map.of("X-Mine", "ä".length() + "", "Content-Type", "text/plain"), "grüße")
                .get();
        Request request = requests.take();
        assertEquals("PATCH", request.method());
        assertEquals("/x?q=1", request.path());
        assertEquals("text/plain; charset=utf-8", request.headers().getFirst("Content-Type"));
        assertEquals("1", request.headers().getFirst("X-Mine"));
        assertEquals("grüße", request.body());
    }

    @Test
    void any_2xx_is_a_success_and_the_output_tells_status_and_body() throws Exception {
        answer("/ok", exchange -> send(exchange, 200, "fine".getBytes(StandardCharsets.UTF_8)));
        answer("/accepted", exchange -> exchange.sendResponseHeaders(202, -1));
        assertEquals(HandlerOutcome.succeeded("HTTP 200\nfine"), call("/ok").get());
        assertEquals(HandlerOutcome.succeeded("HTTP 202"), call("/accepted").get());
    }

    @Test
    void everything_else_is_a_failure_that_keeps_the_answer() throws Exception {
        for (int status : new int[] {302, 400, 404, 500, 503}) {
            answer("/" + status, exchange -> send(exchange, status, "why".getBytes(StandardCharsets.UTF_8)));
            HandlerOutcome outcome = call("/" + status).get();
            assertEquals(
                    HandlerOutcome.failed(
                            "HTTP_" + status, "the receiver responded with " + status, "HTTP " + status + "\nwhy"),
                    outcome);
        }
    }

    @ParameterizedTest(name = "{0} with Retry-After {1} → {2}")
    @CsvSource({"503, 120, PT2M", "429, 1, PT1S", "503, 0, PT0S", "503, soon, PT0S", "500, 120, PT0S", "404, 120, PT0S"
    })
    void a_busy_receiver_says_when_to_call_again(int status, String header, Duration wait) throws Exception {
        answer("/busy", exchange -> {
            exchange.getResponseHeaders().set("Retry-After", header);
            exchange.sendResponseHeaders(status, -1);
        });
        HandlerOutcome outcome = call("/busy").get();
        String asks = wait.isZero() ? "" : " and asks to wait " + wait.toSeconds() + " s";
        assertEquals(
                HandlerOutcome.failed(
                                "HTTP_" + status, "the receiver responded with " + status + asks, "HTTP " + status)
                        .asking(wait),
                outcome);
    }

    @Test
    void a_call_without_an_answer_fails_with_the_code_of_its_reason() throws Exception {
        int port = server.getAddress().getPort();
        answer("/broken", exchange -> exchange.close());
        assertEquals("CONNECTION_LOST", call("/broken").get().errorCode());
        server.stop(0);
        assertEquals("CONNECT_REFUSED", call("/x").get().errorCode());
        assertEquals(
                "UNKNOWN_HOST",
                call(URI.create("http://no-such-host.invalid:" + port + "/"), "GET")
                        .get()
                        .errorCode());
    }

    @Test
    void it_is_warmed_up_thoroughly_at_first_and_by_a_single_call_later() {
        answer("/live", exchange -> exchange.sendResponseHeaders(204, -1));
        int thorough = HttpCaller.THOROUGH_WARM_UPS * HttpCaller.CALLS_OF_THESE;
        for (int i = 0; i < HttpCaller.THOROUGH_WARM_UPS; i++) {
            int after = (i + 1) * HttpCaller.CALLS_OF_THESE;
            caller.warmUp(HttpUrl.parse(url("/live")));
            await().until(() -> requests.size() == after);
        }
        caller.warmUp(HttpUrl.parse(url("/live")));
        await().until(() -> requests.size() == thorough + 1);
        caller.warmUp(HttpUrl.parse(url("/live")));
        await().until(() -> requests.size() == thorough + 2);
    }

    @Test
    void a_warm_up_that_nobody_answers_is_over_with_its_first_call() throws Exception {
        answer("/live", exchange -> exchange.sendResponseHeaders(500, -1));
        answer("/x", exchange -> exchange.sendResponseHeaders(204, -1));
        caller.warmUp(HttpUrl.parse(url("/live")));
        assertEquals("/live", requests.take().path());
        call("/x").get();
        assertEquals("/x", requests.take().path());
    }

    @Test
    void a_redirect_is_not_followed() throws Exception {
        answer("/from", exchange -> {
            exchange.getResponseHeaders().set("Location", "/to");
            exchange.sendResponseHeaders(307, -1);
        });
        answer("/to", exchange -> exchange.sendResponseHeaders(200, -1));
        assertEquals(ExecutionState.FAILED, call("/from").get().state());
        assertEquals(1, requests.size());
    }

    @Test
    void only_the_beginning_of_a_long_answer_is_kept_and_the_connection_is_reused() throws Exception {
        byte[] tenMegabytes = "0123456789".repeat(1_000_000).getBytes(StandardCharsets.UTF_8);
        Set<Integer> ports = new HashSet<>();
        answer("/long", exchange -> {
            synchronized (ports) {
                ports.add(exchange.getRemoteAddress().getPort());
            }
            send(exchange, 200, tenMegabytes);
        });
        assertEquals("HTTP 200\n".length() + 8192, call("/long").get().output().length());
        // The answer may be known a moment before its connection is free again.
        await().until(() -> {
            int before = ports.size();
            call("/long").get();
            return ports.size() == before;
        });
    }

    @Test
    void a_refused_connection_is_a_failure_that_says_so() throws Exception {
        server.stop(0);
        HandlerOutcome outcome = call("/x").get();
        assertEquals(ExecutionState.FAILED, outcome.state());
        assertEquals("CONNECT_REFUSED", outcome.errorCode());
        assertTrue(outcome.error().startsWith("Connect to " + url("")), outcome.error());
        assertTrue(outcome.error().endsWith("Connection refused"), outcome.error());
    }

    @Test
    void a_cancelled_call_is_given_up_at_the_receiver_too() throws Exception {
        CompletableFuture<Socket> accepted = new CompletableFuture<>();
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            serving.submit(() -> accepted.complete(silent.accept()));
            CompletableFuture<HandlerOutcome> call = call(uri(silent), "POST");
            Socket connection = accepted.get();
            connection.getInputStream().read();
            Future<?> hungUp = serving.submit(() -> HttpCallerTest.readToTheEnd(connection));
            call.cancel(true);
            hungUp.get();
        }
    }

    @Test
    void calls_cancelled_while_they_connect_leave_no_connection_at_the_receiver() throws Exception {
        AtomicInteger accepted = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        try (ServerSocket silent = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress())) {
            serving.submit(() -> {
                while (true) {
                    Socket connection = silent.accept();
                    accepted.incrementAndGet();
                    serving.submit(() -> {
                        HttpCallerTest.readToTheEnd(connection);
                        ended.incrementAndGet();
                    });
                }
            });
            for (int i = 0; i < 400; i++) {
                CompletableFuture<HandlerOutcome> call = call(uri(silent), "POST");
                // At another moment of the connect each time.
                for (int spin = 0; spin < 100 * i; spin++) {
                    Thread.onSpinWait();
                }
                call.cancel(true);
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> accepted.get() > 0 && accepted.get() == ended.get());
        }
    }

    @Test
    void a_call_over_a_kept_connection_is_given_up_at_the_receiver_too() throws Exception {
        CompletableFuture<Socket> askedTwice = new CompletableFuture<>();
        CompletableFuture<Void> hungUp = new CompletableFuture<>();
        try (ServerSocket once = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            serving.submit(() -> {
                while (true) {
                    Socket connection = once.accept();
                    serving.submit(() -> {
                        connection.getInputStream().read(new byte[4096]);
                        connection
                                .getOutputStream()
                                .write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.UTF_8));
                        if (connection.getInputStream().read(new byte[4096]) > 0) {
                            askedTwice.complete(connection);
                            HttpCallerTest.readToTheEnd(connection);
                            hungUp.complete(null);
                        }
                        return null;
                    });
                }
            });
            assertEquals(ExecutionState.SUCCEEDED, call(uri(once), "GET").get().state());
            CompletableFuture<HandlerOutcome> second;
            do {
                // The answer may be known a moment before its connection is free again: then the call opens another.
                second = call(uri(once), "GET");
                CompletableFuture.anyOf(askedTwice, second).get();
            } while (!askedTwice.isDone());
            second.cancel(true);
            hungUp.get();
        }
    }

    @Test
    void two_thousand_waiting_calls_are_in_flight_on_a_few_threads() throws Exception {
        List<Socket> connections = new ArrayList<>();
        CountDownLatch allAsked = new CountDownLatch(2000);
        try (ServerSocket silent = new ServerSocket(0, 4000, InetAddress.getLoopbackAddress())) {
            serving.submit(() -> {
                while (connections.size() < 2000) {
                    connections.add(silent.accept());
                    allAsked.countDown();
                }
                return null;
            });
            int before = Thread.activeCount();
            List<CompletableFuture<HandlerOutcome>> calls = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                calls.add(call(uri(silent), "POST"));
            }
            assertTrue(allAsked.await(20, TimeUnit.SECONDS));
            int grownBy = Thread.activeCount() - before;
            assertTrue(grownBy < 10, "threads: " + grownBy);
            assertFalse(calls.stream().anyMatch(CompletableFuture::isDone));
            calls.forEach(call -> call.cancel(true));
            for (Socket connection : connections) {
                connection.close();
            }
        }
    }

    @Test
    void a_call_that_the_receiver_hung_up_on_is_not_sent_again_whatever_its_method() throws Exception {
        for (String method : List.of("GET", "HEAD", "POST", "PUT", "DELETE")) {
            AtomicInteger received = new AtomicInteger();
            try (ServerSocket rude = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
                serving.submit(() -> hangUpOnEveryone(rude, received));
                HandlerOutcome outcome = call(uri(rude), method).get();
                assertEquals(ExecutionState.FAILED, outcome.state());
                assertFalse(outcome.error().isBlank());
            }
            assertEquals(1, received.get(), method);
        }
    }

    @Test
    void a_call_over_a_kept_connection_that_was_closed_meanwhile_is_not_sent_again_either() throws Exception {
        AtomicInteger received = new AtomicInteger();
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            serving.submit(() -> {
                try (Socket connection = server.accept()) {
                    countRequest(connection, received);
                    connection.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes());
                    // Nothing comes if the client has not given the connection back yet, and opens another.
                    countRequest(connection, received);
                }
                hangUpOnEveryone(server, received);
                return null;
            });
            assertEquals(
                    ExecutionState.SUCCEEDED, call(uri(server), "GET").get().state());
            assertEquals(ExecutionState.FAILED, call(uri(server), "GET").get().state());
        }
        assertEquals(2, received.get());
    }

    /** A receiver that means harm could end node after node by the memory that this takes. */
    @ParameterizedTest
    @ValueSource(strings = {"X-More: and more\r\n", "without an end of the line "})
    void an_answer_that_never_comes_to_its_body_is_a_failure_before_it_takes_much_memory(String endless)
            throws Exception {
        try (ServerSocket receiver = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            CompletableFuture<HandlerOutcome> called = call(uri(receiver), "GET");
            byte[] part = endless.repeat(100).getBytes(StandardCharsets.US_ASCII);
            long sent = 0;
            try (Socket connection = receiver.accept();
                    OutputStream out = connection.getOutputStream()) {
                out.write("HTTP/1.1 200 OK\r\n".getBytes(StandardCharsets.US_ASCII));
                while (sent < 1_000_000_000) {
                    out.write(part);
                    sent += part.length;
                }
            } catch (IOException e) {
                // The caller has hung up.
            }
            assertEquals(ExecutionState.FAILED, called.get().state());
            assertTrue(sent < 100_000_000, sent + " bytes were taken");
        }
    }

    @Test
    void a_connection_that_is_reset_is_a_failure() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            serving.submit(() -> {
                try (Socket connection = server.accept()) {
                    connection.setSoLinger(true, 0);
                }
                return null;
            });
            assertEquals(ExecutionState.FAILED, call(uri(server), "POST").get().state());
        }
    }

    @Test
    void connecting_has_a_time_of_its_own() throws Exception {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<Socket> waiting = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Socket socket = new Socket();
                waiting.add(socket);
                serving.submit(() -> {
                    socket.connect(full.getLocalSocketAddress());
                    return null;
                });
            }
            await().until(() -> waiting.stream().filter(Socket::isConnected).count() >= 2);
            HandlerSpec.HttpRules hurried = new HandlerSpec.HttpRules(
                    HandlerSpec.HttpRules.DEFAULT.successCodes(), Duration.ofMillis(200), false, null);
            HandlerOutcome outcome = call(spec("POST", uri(full).toString(), Map.of(), null, hurried))
                    .get();
            assertTrue(outcome.error().contains("Connect"), outcome.error());
            for (Socket socket : waiting) {
                socket.close();
            }
        }
    }

    private static void hangUpOnEveryone(ServerSocket server, AtomicInteger received) {
        try {
            while (true) {
                try (Socket connection = server.accept()) {
                    countRequest(connection, received);
                }
            }
        } catch (IOException e) {
            // The server is closed: the test is over.
        }
    }

    private static void countRequest(Socket connection, AtomicInteger received) throws IOException {
        if (connection.getInputStream().read(new byte[4096]) > 0) {
            received.incrementAndGet();
        }
    }

    private static void readToTheEnd(Socket connection) {
        try (connection) {
            connection.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // Reset: an end as well.
        }
    }

    private void answer(String path, Answer answer) {
        server.createContext(path, exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Headers headers = new Headers();
            headers.putAll(exchange.getRequestHeaders());
            requests.add(new Request(
                    exchange.getRequestMethod(), exchange.getRequestURI().toString(), headers, body));
            try (exchange) {
                answer.to(exchange);
            }
        });
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    private CompletableFuture<HandlerOutcome> call(String path) {
        return call("POST", path, Map.of(), null);
    }

    private CompletableFuture<HandlerOutcome> call(
            String method, String path, Map<String, String> headers, String body) {
        return call(spec(method, url(path), headers, body, HandlerSpec.HttpRules.DEFAULT));
    }

    private CompletableFuture<HandlerOutcome> call(URI uri, String method) {
        return call(spec(method, uri.toString(), Map.of(), null, HandlerSpec.HttpRules.DEFAULT));
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private static HandlerSpec.HttpCall spec(
            String method, String url, Map<String, String> headers, String body, HandlerSpec.HttpRules rules) {
        return HttpCalls.spec(method, url, headers, body, rules);
    }

    private CompletableFuture<HandlerOutcome> call(HandlerSpec.HttpCall spec) {
        return caller.start(HttpCalls.call(spec, null), spec).toCompletableFuture();
    }

    private static URI uri(ServerSocket server) {
        return URI.create("http://127.0.0.1:" + server.getLocalPort() + "/");
    }
}
