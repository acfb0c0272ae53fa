package io.twinbell.node.alert;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.alert.store.AlertDelivery;
import io.twinbell.node.alert.store.AlertDelivery.DeliveryState;
import io.twinbell.node.alert.store.AlertOutbox;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.epoch.Epoch;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How an alert is delivered: templates, signatures, attempts, and which node delivers after a failover. */
@Timeout(60)
class DeliveriesTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @AutoClose
    private final AlertBench bench = new AlertBench();

    private void webhook(String webhook, String more) {
        bench.put(
                "ops",
                "{\"on\":[\"FAILED\",\"ROLE_CHANGE\"],\"webhook\":{\"url\":\"" + bench.hooks.url() + "/hook\"" + webhook
                        + "}" + more + "}");
    }

    private Hooks.Call only() {
        assertEquals(1, bench.hooks.calls.size());
        return bench.hooks.calls.get(0);
    }

    @Test
    void a_template_fills_in_what_is_told_and_keeps_each_value_one_value() {
        bench.put(
                "ops",
                "{\"on\":[\"FAILED\"],\"webhook\":{\"method\":\"PUT\",\"url\":\"" + bench.hooks.url()
                        + "/rooms/${alert.events.0.app}?task=${alert.events.0.name}\","
                        + "\"headers\":{\"Content-Type\":\"application/json\",\"X-Count\":\"${alert.count}\","
                        + "\"Authorization\":\"Bearer ${secret.TOKEN}\"},"
                        + "\"body\":\"{\\\"text\\\":\\\"${alert.summary}\\\",\\\"try\\\":${attempt},\\\"of\\\":${alert.counts},"
                        + "\\\"none\\\":${alert.events.0.resolved}}\"}}");
        bench.end(7, "a \"b\"&c", "FAILED", "line \"one\"\nline two");
        bench.tell();
        Hooks.Call call = only();
        assertEquals("PUT /rooms/billing?task=a%20%22b%22%26c", call.method() + " " + call.path());
        assertEquals("1", call.headers().getFirst("X-Count"));
        assertEquals("Bearer t0ken-value", call.headers().getFirst("Authorization"));
        JsonNode body = call.json();
        assertTrue(
                body.get("text").textValue().startsWith("billing/a \"b\"&c FAILED ")
                        && body.get("text").textValue().endsWith(": line \"one\""),
                call.body());
        assertEquals(1, body.get("try").intValue());
        assertEquals("{\"FAILED\":1}", body.get("of").toString());
        assertTrue(body.get("none").isNull(), "what this alert lacks keeps nobody from being told");
    }

    @Test
    void a_call_is_signed_over_its_time_and_body_and_no_secret_is_kept_or_shown() throws Exception {
        bench.hooks.always(Hooks.answered(500, "you sent t0ken-value"));
        webhook(
                ",\"secret\":{\"ref\":\"HOOK_KEY\"},\"headers\":{\"Authorization\":\"Bearer ${secret.TOKEN}\"},"
                        + "\"body\":\"${alert.summary}\"",
                "");
        bench.fail(1);
        bench.tell();
        Hooks.Call call = only();
        String stamp = call.headers().getFirst("Twinbell-Timestamp");
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec("s3cret-value".getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        assertEquals(
                "v1="
                        + HexFormat.of()
                                .formatHex(mac.doFinal((stamp + "." + call.body()).getBytes(StandardCharsets.UTF_8))),
                call.headers().getFirst("Twinbell-Signature"));
        String stored =
                String.join("", bench.tasks.query("select * from twinbell.alert")) + bench.deliveries("row_to_json(d)");
        assertTrue(stored.contains("you sent ***"), stored);
        assertFalse(stored.contains("s3cret-value") || stored.contains("t0ken-value"), stored);
    }

    @Test
    void a_secret_that_this_node_does_not_know_fails_the_attempt_and_says_so() {
        webhook(",\"secret\":{\"ref\":\"ABSENT\"}", "");
        bench.fail(1);
        bench.tell();
        assertEquals(0, bench.hooks.calls.size());
        assertTrue(bench.deliveries("error").get(0).contains("the secret ABSENT is not configured on this node"));
    }

    @Test
    void a_failed_delivery_is_retried_under_the_same_key_until_it_succeeds() {
        bench.hooks.next(Hooks.answered(500, "no"), Hooks.brokenOff(), bench.hooks.never());
        webhook(",\"timeout\":\"PT2S\"", ",\"retry\":{\"maxAttempts\":5,\"backoff\":\"PT30S\",\"jitter\":0}");
        bench.fail(1);
        bench.tell();
        assertEquals(List.of("PENDING|1|the receiver responded with 500|HTTP 500\nno"), soFar("30"));
        bench.settle();
        assertEquals(1, bench.hooks.calls.size(), "not before its time");
        bench.pass(Duration.ofSeconds(30));
        bench.settle();
        assertEquals("PENDING|2", bench.deliveries("state, attempt").get(0));
        bench.pass(Duration.ofSeconds(60));
        bench.until(() -> bench.hooks.calls.size() == 3);
        bench.ticker.pass(Duration.ofSeconds(3));
        bench.settle();
        assertEquals(List.of("PENDING|3|no response within PT2S|"), soFar("120"));
        bench.fail(2);
        bench.pass(Duration.ofSeconds(60));
        bench.settle();
        assertEquals(3, bench.hooks.calls.size(), "what comes meanwhile is gathered and waits");
        bench.pass(Duration.ofSeconds(60));
        bench.settle();
        assertEquals(List.of("DELIVERED|4|", "DELIVERED|1|"), bench.deliveries("state, attempt, error"));
        assertEquals(
                List.of("1", "2", "3", "4", "1"),
                bench.hooks.calls.stream().map(Hooks.Call::attempt).toList());
        List<String> keys = bench.hooks.calls.stream().map(Hooks.Call::key).toList();
        assertEquals(2, keys.stream().distinct().count());
        assertEquals(keys.get(0), keys.get(3));
        assertEquals(3, bench.registry.counter("alerts_failed_attempts").getCount());
    }

    /** The deliveries so far, each with its waiting time in seconds. */
    private List<String> soFar(String seconds) {
        assertEquals(
                List.of(seconds),
                bench.deliveries("round(extract(epoch from due_at - clock_timestamp()) / 10) * 10").stream()
                        .map(text -> text.replaceAll("\\..*", ""))
                        .toList());
        return bench.deliveries("state, attempt, error, output");
    }

    @Test
    void after_its_last_attempt_a_delivery_is_given_up_aloud_and_the_next_one_is_another() {
        bench.hooks.always(Hooks.answered(503, ""));
        webhook("", ",\"retry\":{\"maxAttempts\":3,\"backoff\":\"PT1S\"}");
        bench.fail(1);
        bench.tell();
        bench.pass(HOUR);
        bench.settle();
        bench.pass(HOUR);
        bench.settle();
        bench.pass(HOUR);
        bench.settle();
        assertEquals(List.of("GIVEN_UP|3|the receiver responded with 503"), bench.deliveries("state, attempt, error"));
        assertEquals(3, bench.hooks.calls.size());
        assertEquals(1, bench.registry.counter("alerts_given_up").getCount());
        assertTrue(bench.bell.get(0).startsWith("ops: billing/t1 FAILED"), bench.bell.toString());
        assertEquals("ops given up: the receiver responded with 503", bench.bell.get(1));
        bench.hooks.always(Hooks.answered(204, ""));
        bench.fail(2);
        bench.tell();
        assertEquals(List.of("GIVEN_UP", "DELIVERED"), bench.deliveries("state"));
        assertNotEquals(bench.hooks.calls.get(2).key(), bench.hooks.calls.get(3).key());
    }

    @Test
    void a_delivery_is_given_up_at_once_after_a_code_that_is_not_retried() {
        bench.hooks.always(Hooks.answered(404, ""));
        webhook("", ",\"retry\":{\"maxAttempts\":3,\"backoff\":\"PT1S\",\"notOn\":[\"HTTP_4*\"]}");
        bench.fail(1);
        bench.tell();
        assertEquals(List.of("GIVEN_UP|1|the receiver responded with 404"), bench.deliveries("state, attempt, error"));
    }

    @Test
    void an_answer_that_cannot_be_stored_as_it_is_ends_the_delivery_all_the_same() {
        bench.hooks.next(Hooks.answered(200, "a\0b"));
        webhook("", "");
        bench.fail(1);
        bench.tell();
        assertEquals(List.of("DELIVERED|HTTP 200\na\uFFFDb"), bench.deliveries("state, output"));
    }

    @Test
    void a_mended_definition_is_what_the_next_attempt_goes_by() {
        bench.put("ops", "{\"on\":[\"FAILED\"],\"webhook\":{\"url\":\"http://127.0.0.1:1/nobody\"}}");
        bench.fail(1);
        bench.tell();
        assertTrue(bench.deliveries("error").get(0).contains("Connection refused"));
        webhook("", "");
        bench.pass(HOUR);
        bench.settle();
        assertEquals(List.of("DELIVERED|2|"), bench.deliveries("state, attempt, error"));
    }

    @Test
    void a_successor_resends_a_dead_masters_alerts_at_once_under_the_same_key() {
        bench.hooks.next(bench.hooks.never());
        webhook(",\"timeout\":\"PT5M\"", "");
        bench.fail(1);
        bench.settle();
        bench.pass(Duration.ofSeconds(2));
        bench.until(() -> bench.hooks.calls.size() == 1);
        assertEquals(List.of("SENDING|1"), bench.deliveries("state, attempt"));
        bench.promote();
        bench.settle();
        assertEquals(List.of("DELIVERED|2"), bench.deliveries("state, attempt"));
        Hooks.Call again = bench.hooks.calls.get(1);
        assertEquals(bench.hooks.calls.get(0).key(), again.key());
        assertEquals(Long.toString(bench.epoch.number()), again.headers().getFirst("Twinbell-Epoch"));
    }

    @Test
    void pending_alerts_outlive_their_master() {
        webhook("", ",\"gather\":\"PT1M\"");
        bench.fail(1);
        bench.settle();
        bench.fail(2);
        bench.promote();
        bench.settle();
        bench.pass(Duration.ofMinutes(1));
        bench.settle();
        assertEquals(2, only().json().get("count").intValue());
    }

    @Test
    void a_superseded_master_gathers_sends_and_records_nothing() {
        webhook("", "");
        bench.fail(1);
        bench.settle();
        bench.pass(HOUR);
        bench.desk.close(bench.epoch, "ops");
        Epoch old = bench.epoch;
        AlertDelivery pending = bench.desk.due(old, 10).get(0);
        AlertDelivery begun = bench.desk.attempt(old, pending.id(), 1000).orElseThrow();
        bench.promote();
        bench.fail(2);
        bench.desk.gather(old, "ops", 10, AlertMessage::digest);
        bench.desk.begin(old, "ops", "k", new AlertOutbox.Condition("FAILED", null, "{}"));
        assertEquals(1, bench.events());
        assertEquals(Optional.empty(), bench.desk.close(old, "ops"));
        assertEquals(Optional.empty(), bench.desk.attempt(old, pending.id(), 1000));
        AlertOutbox.DeliveryResult delivered =
                new AlertOutbox.DeliveryResult(DeliveryState.DELIVERED, 0, "HTTP 200", null);
        assertFalse(bench.desk.record(old, begun.id(), 1, delivered));
        assertEquals(List.of("SENDING|1"), bench.deliveries("state, attempt"));
    }

    @Test
    void a_late_end_of_an_older_attempt_does_not_end_a_newer_one() {
        webhook("", "");
        bench.fail(1);
        bench.settle();
        bench.desk.close(bench.epoch, "ops");
        long id = bench.desk.due(bench.epoch, 10).get(0).id();
        bench.desk.attempt(bench.epoch, id, 0);
        bench.desk.attempt(bench.epoch, id, 0);
        AlertOutbox.DeliveryResult failed = new AlertOutbox.DeliveryResult(DeliveryState.GIVEN_UP, 0, null, "x");
        assertFalse(bench.desk.record(bench.epoch, id, 1, failed));
        assertEquals(List.of("SENDING|2"), bench.deliveries("state, attempt"));
    }

    @Test
    void a_test_is_sent_at_once_also_in_a_silence_and_has_one_attempt() {
        bench.hooks.next(Hooks.answered(500, ""));
        webhook("", ",\"enabled\":false,\"silence\":{\"mode\":\"ALLOW\",\"dates\":[\"1999-01-01\"]}");
        bench.store.test("ops", AlertMessage.test(bench.nowMillis()), any -> true);
        bench.store.test("ops", AlertMessage.test(bench.nowMillis()), any -> true);
        bench.settle();
        assertEquals(2, bench.hooks.calls.size());
        assertEquals(
                List.of("DELIVERED|1", "GIVEN_UP|1"),
                bench.deliveries("state, attempt").stream().sorted().toList());
        JsonNode told = bench.hooks.calls.get(0).json();
        assertTrue(told.get("test").booleanValue());
        assertEquals(
                "Test of the alert ops: twinbell/test FAILED: nothing is wrong: this is a test of the alert",
                told.get("summary").textValue());
        assertEquals(0, bench.registry.counter("alerts_given_up").getCount());
    }

    @Test
    void every_member_of_the_sample_that_templates_are_tried_with_is_one_that_a_message_may_have() {
        webhook("", "");
        bench.fail(1);
        bench.tasks.execute("insert into twinbell.role_history (node, incarnation, epoch, from_role, to_role, reason,"
                + " took_millis) values ('b', gen_random_uuid(), 8, 'PROMOTING', 'MASTER', 'a is dead', 80)");
        bench.tell();
        JsonNode sample = AlertMessage.sample();
        JsonNode told = StrictJson.readStored(only().body());
        told.fieldNames().forEachRemaining(member -> assertTrue(sample.has(member), member));
        told.get("events")
                .forEach(event -> event.fieldNames()
                        .forEachRemaining(
                                member -> assertTrue(sample.at("/events/0").has(member), member)));
    }
}
