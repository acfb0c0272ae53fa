package io.twinbell.node.handler.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.task.definition.StatusCodes;
import io.twinbell.persistence.ledger.ExecutionState;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Signatures, secrets, redirects, success codes and the allow-list of the http handler, against a real server. */
@Timeout(30)
class HttpRulesTest {
    private static final Map<String, String> SECRETS = Map.of("KEY", "s3cret-value", "TOKEN", "t0ken-value");

    private final HttpCaller caller = HttpCalls.caller(List.of(), SECRETS);
    private final ExecutorService serving = Executors.newCachedThreadPool();
    private final LinkedBlockingQueue<Received> received = new LinkedBlockingQueue<>();
    private HttpServer server;
    private HttpServer other;

    private record Received(String method, String path, Headers headers, String body) {}

    @BeforeEach
    void startServers() throws IOException {
        server = start();
        other = start();
    }

    private HttpServer start() throws IOException {
        HttpServer started = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        started.setExecutor(serving);
        started.start();
        return started;
    }

    @AfterEach
    void stop() {
        caller.close();
        server.stop(0);
        other.stop(0);
        serving.shutdownNow();
    }

    @Test
    void a_signed_call_can_be_checked_by_its_receiver() throws Exception {
        answer(server, "/x", 200, null, "");
        HandlerSpec.HttpRules signed = rules(List.of("2xx"), false, "KEY");
        call(HttpCalls.spec("POST", url(server, "/x"), Map.of(), "{\"slot\":\"${slot}\"}", signed), null);
        Received request = received.take();
        String timestamp = request.headers().getFirst("Twinbell-Timestamp");
        assertEquals(Long.toString(HttpCalls.NOW_MILLIS / 1000), timestamp);
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec("s3cret-value".getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        String expected = "v1="
                + HexFormat.of()
                        .formatHex(mac.doFinal((timestamp + "." + request.body()).getBytes(StandardCharsets.UTF_8)));
        assertEquals(expected, request.headers().getFirst("Twinbell-Signature"));
        assertEquals("{\"slot\":\"7/2026-03-29T01:00:00.000Z\"}", request.body());
    }

    @Test
    void a_call_without_a_secret_is_not_signed() throws Exception {
        answer(server, "/x", 200, null, "");
        call(HttpCalls.spec("GET", url(server, "/x"), Map.of(), null, HandlerSpec.HttpRules.DEFAULT), null);
        assertNull(received.take().headers().getFirst("Twinbell-Signature"));
    }

    @Test
    void a_secret_in_a_header_arrives_and_is_covered_where_the_receiver_repeats_it() throws Exception {
        answer(server, "/echo", 500, null, "you said Bearer t0ken-value".repeat(400));
        HandlerOutcome outcome = call(
                HttpCalls.spec(
                        "GET",
                        url(server, "/echo"),
                        Map.of("Authorization", "Bearer ${secret.TOKEN}"),
                        null,
                        HandlerSpec.HttpRules.DEFAULT),
                null);
        assertEquals("Bearer t0ken-value", received.take().headers().getFirst("Authorization"));
        assertFalse(outcome.toString().contains("t0ken"), outcome.toString());
        assertTrue(outcome.output().contains("Bearer ***"));
        assertTrue(outcome.output().length() <= "HTTP 500\n".length() + 8192);
    }

    @Test
    void a_secret_that_is_not_configured_fails_the_execution_before_anything_is_sent() throws Exception {
        answer(server, "/x", 200, null, "");
        for (HandlerSpec.HttpCall spec : List.of(
                HttpCalls.spec("POST", url(server, "/x"), Map.of(), null, rules(List.of("2xx"), false, "NONE")),
                HttpCalls.spec(
                        "POST",
                        url(server, "/x"),
                        Map.of("A", "${secret.NONE}"),
                        null,
                        HandlerSpec.HttpRules.DEFAULT))) {
            HandlerOutcome outcome = call(spec, null);
            assertEquals(ExecutionState.FAILED, outcome.state());
            assertTrue(outcome.error().contains("the secret NONE is not configured on this node"), outcome.error());
        }
        assertTrue(received.isEmpty());
    }

    @Test
    void the_data_is_filled_in_everywhere() throws Exception {
        answer(server, "/", 200, null, "");
        call(
                HttpCalls.spec(
                        "POST",
                        url(server, "/orders/${data.id}?try=${attempt}"),
                        Map.of("X-Time", "${fireTime}"),
                        "${data.name}",
                        HandlerSpec.HttpRules.DEFAULT),
                "{\"id\":\"a b\",\"name\":\"Käse\"}");
        Received request = received.take();
        assertEquals("/orders/a%20b?try=3", request.path());
        assertEquals("2026-03-29T01:00:00.000Z", request.headers().getFirst("X-Time"));
        assertEquals("Käse", request.body());
    }

    @Test
    void success_codes_say_what_is_a_success() throws Exception {
        HandlerSpec.HttpRules codes = rules(List.of("404", "5xx", "300-302"), false, null);
        Map<Integer, ExecutionState> expected = Map.of(
                200, ExecutionState.FAILED,
                302, ExecutionState.SUCCEEDED,
                303, ExecutionState.FAILED,
                404, ExecutionState.SUCCEEDED,
                503, ExecutionState.SUCCEEDED);
        expected.forEach((status, state) -> {
            answer(server, "/" + status, status, null, "");
            assertEquals(
                    state,
                    call(HttpCalls.spec("GET", url(server, "/" + status), Map.of(), null, codes), null)
                            .state(),
                    status.toString());
        });
    }

    @Test
    void a_redirect_is_followed_where_the_task_says_so_and_a_post_becomes_a_get_or_stays_one() throws Exception {
        answer(server, "/307", 307, "/to", "");
        answer(server, "/302", 302, "/to", "");
        answer(server, "/to", 200, null, "there");
        HandlerSpec.HttpRules follow = rules(List.of("2xx"), true, "KEY");
        assertEquals(
                "HTTP 200\nthere",
                call(HttpCalls.spec("POST", url(server, "/307"), Map.of(), "b", follow), null)
                        .output());
        received.take();
        Received kept = received.take();
        assertEquals("POST b", kept.method() + " " + kept.body());
        assertTrue(kept.headers().containsKey("Twinbell-Signature"), "the same origin gets it again");
        call(HttpCalls.spec("POST", url(server, "/302"), Map.of("Content-Type", "text/plain"), "b", follow), null);
        received.take();
        Received changed = received.take();
        assertEquals("GET ", changed.method() + " " + changed.body());
        assertFalse(changed.headers().containsKey("Content-Type"));
        assertFalse(changed.headers().containsKey("Twinbell-Signature"), "it would sign another body");
        assertTrue(changed.headers().containsKey("Idempotency-Key"));
    }

    @Test
    void a_redirect_to_another_receiver_does_not_carry_what_is_confidential() throws Exception {
        answer(server, "/from", 307, url(other, "/to"), "");
        answer(other, "/to", 200, null, "");
        Map<String, String> headers =
                Map.of("Authorization", "Basic eA==", "X-Api-Key", "${secret.TOKEN}", "X-Plain", "p");
        call(HttpCalls.spec("POST", url(server, "/from"), headers, "b", rules(List.of("2xx"), true, "KEY")), null);
        assertTrue(received.take().headers().containsKey("X-Api-Key"));
        Headers there = received.take().headers();
        assertEquals("p", there.getFirst("X-Plain"));
        for (String confidential : List.of("Authorization", "X-Api-Key", "Twinbell-Signature")) {
            assertFalse(there.containsKey(confidential), confidential);
        }
    }

    @Test
    void a_redirect_leads_no_further_than_five_steps_nor_to_what_a_task_may_not_call() throws Exception {
        answer(server, "/loop", 307, "/loop", "");
        answer(server, "/metadata", 307, "http://169.254.169.254/latest", "");
        answer(server, "/file", 307, "file:///etc/passwd", "");
        HandlerSpec.HttpRules follow = rules(List.of("2xx"), true, null);
        HandlerOutcome loop = call(HttpCalls.spec("GET", url(server, "/loop"), Map.of(), null, follow), null);
        assertTrue(loop.error().contains("more than 5 redirects"), loop.error());
        assertEquals(6, received.size());
        HandlerOutcome metadata = call(HttpCalls.spec("GET", url(server, "/metadata"), Map.of(), null, follow), null);
        assertTrue(metadata.error().contains("link-local or metadata"), metadata.error());
        HandlerOutcome file = call(HttpCalls.spec("GET", url(server, "/file"), Map.of(), null, follow), null);
        assertTrue(file.error().contains("an invalid URL"), file.error());
    }

    @Test
    void a_name_is_checked_by_what_it_resolves_to() throws Exception {
        answer(server, "/x", 200, null, "");
        String byName = "http://localhost:" + server.getAddress().getPort() + "/x";
        HandlerSpec.HttpCall spec = HttpCalls.spec("GET", byName, Map.of(), null, HandlerSpec.HttpRules.DEFAULT);
        try (HttpCaller loopback = HttpCalls.caller(List.of("127.0.0.0/8"), Map.of());
                HttpCaller elsewhere = HttpCalls.caller(List.of("10.0.0.0/8"), Map.of())) {
            assertEquals(ExecutionState.SUCCEEDED, call(loopback, spec, null).state());
            HandlerOutcome refused = call(elsewhere, spec, null);
            assertTrue(refused.error().contains("target refused: localhost is not in the list"), refused.error());
        }
        assertEquals(1, received.size());
    }

    private static HandlerSpec.HttpRules rules(List<String> codes, boolean follow, String secret) {
        return new HandlerSpec.HttpRules(new StatusCodes(codes), Duration.ofSeconds(10), follow, secret);
    }

    private HandlerOutcome call(HandlerSpec.HttpCall spec, String data) {
        return call(caller, spec, data);
    }

    private static HandlerOutcome call(HttpCaller caller, HandlerSpec.HttpCall spec, String data) {
        return caller.start(HttpCalls.call(spec, data), spec)
                .toCompletableFuture()
                .join();
    }

    private void answer(HttpServer by, String path, int status, String location, String body) {
        by.createContext(path, exchange -> {
            String content = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Headers headers = new Headers();
            headers.putAll(exchange.getRequestHeaders());
            received.add(new Received(
                    exchange.getRequestMethod(), exchange.getRequestURI().toString(), headers, content));
            if (location != null) {
                exchange.getResponseHeaders().set("Location", location);
            }
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
    }

    private static String url(HttpServer server, String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }
}
