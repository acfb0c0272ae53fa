package io.twinbell.node.handler.http;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.task.definition.AlertCall;
import io.twinbell.node.task.definition.HandlerSpec.CloudEventMode;
import io.twinbell.node.task.definition.HandlerSpec.HttpCall;
import io.twinbell.node.task.definition.HandlerSpec.HttpCompletion;
import io.twinbell.node.task.definition.HandlerSpec.HttpRules;
import io.twinbell.node.task.definition.HandlerSpec.SignatureScheme;
import io.twinbell.node.task.definition.StatusCodes;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.receiver.CallRefusedException;
import io.twinbell.receiver.CallTransactions;
import io.twinbell.receiver.ExactlyOnceReceiver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Calls signed by Standard Webhooks, and calls that are CloudEvents, as a real server receives them. */
@Timeout(30)
class SignedEventsTest {
    private static final byte[] KEY = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8);
    private static final String EXECUTION = "7-" + HttpCalls.FIRE_MILLIS;

    private final HttpCaller caller = HttpCalls.caller(
            List.of(), Map.of("KEY", "whsec_" + Base64.getEncoder().encodeToString(KEY), "WEAK", "whsec_c2hvcnQ="));
    private final LinkedBlockingQueue<Received> received = new LinkedBlockingQueue<>();
    private HttpServer server;

    private record Received(String method, Headers headers, byte[] body) {
        String header(String name) {
            return headers.getFirst(name);
        }

        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        JsonNode json() throws IOException {
            return new ObjectMapper().readTree(body);
        }

        /** Checks the signature as the specification describes it to receivers. */
        boolean isGenuine() throws Exception {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
            mac.update(header("webhook-id").getBytes(StandardCharsets.UTF_8));
            mac.update((byte) '.');
            mac.update(header("webhook-timestamp").getBytes(StandardCharsets.UTF_8));
            mac.update((byte) '.');
            String expected = Base64.getEncoder().encodeToString(mac.doFinal(body));
            return List.of(header("webhook-signature").split(" ")).contains("v1," + expected);
        }
    }

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        server.createContext("/", exchange -> {
            Headers headers = new Headers();
            headers.putAll(exchange.getRequestHeaders());
            received.add(new Received(
                    exchange.getRequestMethod(),
                    headers,
                    exchange.getRequestBody().readAllBytes()));
            String path = exchange.getRequestURI().getPath();
            exchange.getResponseHeaders().set("Location", "/to");
            exchange.sendResponseHeaders(path.equals("/302") ? 302 : 200, -1);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        caller.close();
        server.stop(0);
    }

    @Test
    void a_receiver_of_standard_webhooks_accepts_the_signature() throws Exception {
        call("/x", Map.of(), "{\"name\":\"${data.name}\"}", rules("KEY", null), "{\"name\":\"Käse\"}");
        Received request = received.take();
        assertTrue(request.isGenuine());
        assertEquals(EXECUTION, request.header("webhook-id"));
        assertEquals(Long.toString(HttpCalls.NOW_MILLIS / 1000), request.header("webhook-timestamp"));
        assertFalse(request.headers().containsKey("Twinbell-Signature"));
    }

    @Test
    void the_receiver_library_accepts_the_signature_and_the_key_that_it_covers() throws Exception {
        call("/x", Map.of(), "{\"n\":1}", rules("KEY", null), null);
        Received request = received.take();
        ExactlyOnceReceiver receiver = ExactlyOnceReceiver.builder(CallTransactions.of(new PGSimpleDataSource()))
                .secret("whsec_" + Base64.getEncoder().encodeToString(KEY))
                .tolerance(Duration.ofDays(36500))
                .build();
        assertTrue(request.headers().containsKey("Idempotency-Key"));
        assertDoesNotThrow(() -> receiver.verify(request::header, request.body()));
        assertThrows(
                CallRefusedException.class,
                () -> receiver.verify(request::header, "{\"n\":2}".getBytes(StandardCharsets.UTF_8)));
        assertThrows(
                CallRefusedException.class,
                () -> receiver.verify(
                        name -> name.equals("Idempotency-Key") ? "8/2026-03-29T01:00:00Z" : request.header(name),
                        request.body()));
    }

    @Test
    void a_call_without_a_body_is_signed_too() throws Exception {
        call("/x", Map.of(), null, rules("KEY", null), null);
        assertTrue(received.take().isGenuine());
    }

    @Test
    void a_redirect_that_drops_the_body_drops_its_signature() throws Exception {
        call("/302", Map.of(), "b", rules("KEY", null), null);
        assertTrue(received.take().isGenuine());
        Received second = received.take();
        assertEquals("GET", second.method());
        assertFalse(second.headers().containsKey("webhook-signature"));
    }

    @Test
    void a_secret_that_cannot_sign_fails_the_attempt_before_anything_is_sent() {
        HandlerOutcome outcome = call("/x", Map.of(), "b", rules("WEAK", null), null);
        assertTrue(outcome.error().contains("the secret WEAK cannot sign by STANDARD_WEBHOOKS"), outcome.error());
        assertTrue(received.isEmpty());
    }

    @Test
    void the_binary_mode_has_the_attributes_in_headers_and_the_body_unchanged() throws Exception {
        call("/x", Map.of("Content-Type", "text/plain"), "hello", rules(null, CloudEventMode.BINARY), null);
        Received event = received.take();
        assertEquals("1.0", event.header("ce-specversion"));
        assertEquals(EXECUTION, event.header("ce-id"));
        assertEquals("/twinbell/apps/app/tasks/name", event.header("ce-source"));
        assertEquals("io.twinbell.task.fire", event.header("ce-type"));
        assertEquals("2026-03-29T01:00:00.000Z", event.header("ce-time"));
        assertEquals("text/plain", event.header("Content-Type"));
        assertEquals("hello", event.text());
    }

    @Test
    void the_structured_mode_has_json_as_data_and_the_signature_covers_the_event() throws Exception {
        call("/x", Map.of(), "{\"order\":${data.order}}", rules("KEY", CloudEventMode.STRUCTURED), "{\"order\":4711}");
        Received request = received.take();
        assertTrue(request.isGenuine());
        assertEquals("application/cloudevents+json; charset=utf-8", request.header("Content-Type"));
        assertEquals(
                "{\"specversion\":\"1.0\",\"id\":\"" + EXECUTION
                        + "\",\"source\":\"/twinbell/apps/app/tasks/name\",\"type\":\"io.twinbell.task.fire\","
                        + "\"time\":\"2026-03-29T01:00:00.000Z\",\"datacontenttype\":\"application/json\","
                        + "\"data\":{\"order\":4711}}",
                request.json().toString());
    }

    @Test
    void the_structured_mode_has_other_bodies_as_text_and_none_as_no_data() throws Exception {
        HttpRules structured = rules(null, CloudEventMode.STRUCTURED);
        call("/x", Map.of("Content-Type", "text/csv"), "a;\"b\"", structured, null);
        JsonNode text = received.take().json();
        assertEquals("a;\"b\"", text.path("data").textValue());
        assertEquals("text/csv", text.path("datacontenttype").textValue());
        call("/x", Map.of(), null, structured, null);
        JsonNode empty = received.take().json();
        assertFalse(empty.has("data") || empty.has("datacontenttype"), empty::toString);
    }

    @Test
    void an_alert_is_an_event_of_its_own_source_with_its_name_encoded_twice_in_a_header() throws Exception {
        HttpCall webhook = HttpCalls.spec("POST", url("/x"), Map.of(), "b", rules(null, CloudEventMode.BINARY));
        Epoch epoch = new Epoch(42, new UUID(0, 1), "a", 0);
        caller.start(new AlertCall(webhook, "no success", "the-key", 1, epoch, new ObjectMapper().createObjectNode()))
                .join();
        Received event = received.take();
        assertEquals("the-key", event.header("ce-id"));
        assertEquals("io.twinbell.alert", event.header("ce-type"));
        assertEquals("/twinbell/alerts/no%2520success", event.header("ce-source"));
    }

    private static HttpRules rules(String secret, CloudEventMode cloudEvents) {
        return new HttpRules(
                StatusCodes.DEFAULT,
                Duration.ofSeconds(10),
                true,
                secret,
                HttpCompletion.RESPONSE,
                SignatureScheme.STANDARD_WEBHOOKS,
                cloudEvents,
                null);
    }

    private HandlerOutcome call(String path, Map<String, String> headers, String body, HttpRules rules, String data) {
        HttpCall spec = HttpCalls.spec("POST", url(path), headers, body, rules);
        return caller.start(HttpCalls.call(spec, data), spec).join();
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }
}
