package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Alerts over HTTP. */
class AlertApiTest {
    private static final String PATH = "/api/v1/alerts/";
    private static final String HOOK = "\"webhook\":{\"url\":\"http://127.0.0.1:9/hook\"}";

    @RegisterExtension
    static final ApiFixture api = new ApiFixture();

    private static Reply put(String name, String json) {
        return api.json("PUT", PATH + name, json);
    }

    @Test
    void an_alert_is_answered_with_every_default_spelled_out() {
        Reply created = put("night%20watch", "{\"on\":[\"FAILED\",\"NO_STANDBY\"]," + HOOK + "}");
        assertStatus(201, created);
        assertEquals(
                PATH + "night%20watch",
                created.raw().headers().firstValue("Location").orElseThrow());
        JsonNode alert = created.body();
        assertEquals("night watch", alert.get("name").textValue());
        assertEquals(1, alert.get("version").intValue());
        assertTrue(alert.get("enabled").booleanValue());
        assertEquals("[\"FAILED\",\"NO_STANDBY\"]", alert.get("on").toString());
        assertEquals(
                "PT1S PT1M",
                alert.get("gather").textValue() + " " + alert.get("every").textValue());
        assertEquals(10, alert.at("/retry/maxAttempts").intValue());
        assertEquals("PT5S", alert.at("/retry/backoff").textValue());
        assertEquals("POST", alert.at("/webhook/method").textValue());
        assertEquals("${alert}", alert.at("/webhook/body").textValue());
        assertEquals(
                "application/json", alert.at("/webhook/headers/Content-Type").textValue());
        assertEquals("PT10S", alert.at("/webhook/timeout").textValue());
        assertEquals(alert, api.get(PATH + "night%20watch").body());
        assertEquals(alert, api.get("/api/v1/alerts").body().at("/items/0"));
    }

    @Test
    void an_answer_may_be_put_again_and_changes_nothing() {
        Reply created = put(
                "a",
                "{\"on\":[\"FAILED\"],\"tasks\":{\"app\":\"billing\"},"
                        + "\"threshold\":{\"count\":3,\"within\":\"PT10M\"},"
                        + "\"silence\":{\"weekly\":[{\"days\":[\"SAT\",\"SUN\"]}],\"zone\":\"Europe/Berlin\",\"keep\":false},"
                        + HOOK + "}");
        assertStatus(201, created);
        var again = ((com.fasterxml.jackson.databind.node.ObjectNode)
                        created.body().deepCopy())
                .remove(List.of("createdAt", "updatedAt"));
        Reply same = put("a", again.toString());
        assertStatus(200, same);
        assertEquals(created.body(), same.body());
        Reply changed = put("a", again.toString().replace("\"count\":3", "\"count\":4"));
        assertEquals(2, changed.number("/version"));
        Reply late = put("a", again.toString());
        assertStatus(409, late);
        assertEquals("/version", late.firstError("pointer"));
    }

    @ParameterizedTest(name = "{0} → {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}                                                            | /on                      | is required
            {"on":[]}                                                     | /on                      | must be a list of
            {"on":["FAILD"]}                                              | /on/0                    | did you mean "FAILED"?
            {"on":["FAILED","FAILED"]}                                    | /on/1                    | is named twice
            {"on":["FAILED"],"evry":"PT1M"}                               | /evry                    | did you mean "every"?
            {"on":["FAILED"],"every":"PT0S"}                              | /every                   | must lie between PT1S and PT24H
            {"on":["FAILED"],"gather":"PT1H"}                             | /gather                  | must lie between PT0S and PT5M
            {"on":["FAILED"],"threshold":{"count":0,"within":"PT1M"}}     | /threshold/count         | from 1 to 1000
            {"on":["FAILED"],"threshold":{"count":2}}                     | /threshold/within        | is required
            {"on":["FAILED"],"tasks":{"id":1}}                            | /tasks/id                | unknown field
            {"on":["FAILED"],"errorCodes":[]}                             | /errorCodes              | list of 1 to 32 error codes
            {"on":["FAILED"],"errorCodes":["HTTP_503","http"]}            | /errorCodes/1            | must be an error code
            {"on":["MISSED"],"errorCodes":["HTTP_503"]}                   | /errorCodes              | only with the event FAILED
            {"on":["FAILED"],"webhook":{}}                                | /webhook/url             | is required
            {"on":["FAILED"],"webhook":{"url":"ftp://x"}}                 | /webhook/url             | must be an absolute http
            {"on":["FAILED"],"webhook":{"url":"http://x","body":"${slot}"}} | /webhook/body          | an alert does not have this variable
            {"on":["FAILED"],"webhook":{"url":"http://x","body":"${alert.sumary}"}} | /webhook/body  | an alert has no "alert.sumary"
            {"on":["FAILED"],"webhook":{"url":"http://x","body":"${secret.X}"}} | /webhook/body      | must not contain a secret
            {"on":["FAILED"],"webhook":{"url":"http://x","secret":"abc"}} | /webhook/secret          | belongs to the configuration
            {"on":["FAILED"],"webhook":{"url":"http://x","headers":{"Twinbell-Alert":"x"}}} | /webhook/headers/Twinbell-Alert | is set by Twinbell itself
            {"on":["FAILED"],"webhook":{"url":"http://x","timeout":"PT1H"}} | /webhook/timeout       | must lie between PT1S and PT5M
            {"on":["FAILED"],"retry":{"maxAttempts":0}}                   | /retry/maxAttempts       | from 1 to 1000
            {"on":["FAILED"],"silence":{}}                                | /silence                 | must have times
            {"on":["FAILED"],"silence":{"weekly":[{"days":["SAN"]}]}}     | /silence/weekly/0/days/0 | must be one of MON
            {"on":["FAILED"],"silence":{"zone":"Mars/Base","dates":[]}}   | /silence/zone            | Mars/Base
            {"on":["FAILED"],"silence":{"calendars":["absent"]}}          | /silence/calendars/0     | there is no calendar
            {"on":["FAILED"],"createdAt":"2026-01-01T00:00:00Z"}          | /createdAt               | is read-only
            """)
    void a_contradiction_is_refused_with_its_place(String json, String pointer, String detail) {
        boolean hasHook = json.contains("webhook");
        String whole = hasHook ? json : json.replaceFirst("\\{", "{" + HOOK + (json.equals("{}") ? "" : ","));
        Reply refused = put("a", whole);
        assertStatus(400, refused);
        List<String> found = new ArrayList<>();
        refused.body()
                .get("errors")
                .forEach(error -> found.add(error.get("pointer").textValue() + " "
                        + error.get("detail").textValue()));
        assertTrue(
                found.stream().anyMatch(error -> error.startsWith(pointer + " ") && error.contains(detail)),
                found.toString());
        assertEquals(0, api.number("select count(*) from twinbell.alert"));
    }

    @Test
    void a_watch_is_answered_with_its_defaults_and_may_not_outlast_the_ledger() {
        String watch = "{\"on\":[\"NO_SUCCESS\",\"NO_SUCCESS_BY\"]," + HOOK
                + ",\"watch\":{\"noSuccessFor\":\"%s\",\"noSuccessBy\":{\"time\":\"06:30\"}}}";
        Reply stored = put("nightly", watch.formatted("PT26H"));
        assertEquals(
                "{\"noSuccessBy\":{\"time\":\"06:30\",\"zone\":\"UTC\",\"within\":\"PT12H\"},\"noSuccessFor\":\"PT26H\"}",
                stored.body().get("watch").toString());
        assertEquals(1, put("nightly", watch.formatted("PT26H")).number("/version"));
        Reply tooLong = put("nightly", watch.formatted("P31D"));
        assertEquals(
                "/watch/noSuccessFor is longer than retention.succeeded (PT720H): the ledger would no longer have the"
                        + " success",
                tooLong.firstError("pointer") + " " + tooLong.firstError("detail"));
    }

    @Test
    void everything_that_is_wrong_is_said_at_once() {
        Reply refused = put("a", "{\"on\":[\"X\"],\"every\":5,\"webhook\":{\"url\":\"x\",\"methd\":\"PUT\"}}");
        assertEquals(
                List.of("/every", "/on/0", "/webhook/methd", "/webhook/url"),
                refused.body().get("errors").findValuesAsText("pointer").stream()
                        .sorted()
                        .toList());
    }

    @Test
    void the_variables_of_alerts_are_refused_in_tasks() {
        Reply refused = api.post("/api/v1/tasks", """
                {"app":"a","name":"t","schedule":{"in":"PT1H"},
                 "handler":{"type":"http","url":"http://127.0.0.1:9/","body":"${alert.summary}"}}""");
        assertStatus(400, refused);
        assertEquals("${alert.summary}: only the webhook of an alert has this variable", refused.firstError("detail"));
    }

    @Test
    void there_are_a_hundred_alerts_at_most() {
        api.execute("insert into twinbell.alert (name, content, events) select 'x' || i, '{}', '{}'"
                + " from generate_series(1, 100) i");
        assertStatus(409, put("a", "{\"on\":[\"FAILED\"]," + HOOK + "}"));
        assertStatus(204, api.delete(PATH + "x1"));
        assertStatus(404, api.delete(PATH + "x1"));
        assertStatus(201, put("a", "{\"on\":[\"FAILED\"]," + HOOK + "}"));
    }

    @Test
    void a_test_leaves_a_delivery_for_the_master_and_at_most_ten_wait() {
        put("a", "{\"on\":[\"FAILED\"]," + HOOK + "}");
        Reply first = api.post(PATH + "a/test", "");
        assertStatus(202, first);
        assertEquals("PENDING", first.text("/state"));
        assertTrue(first.body().at("/alert/test").booleanValue());
        IntStream.range(0, 9).forEach(i -> api.post(PATH + "a/test", ""));
        assertStatus(409, api.post(PATH + "a/test", ""));
        assertStatus(404, api.post(PATH + "b/test", ""));
    }

    @Test
    void deliveries_are_listed_newest_first_by_state_and_in_pages() {
        put("a", "{\"on\":[\"FAILED\"]," + HOOK + "}");
        api.execute(
                "insert into twinbell.alert_delivery (alert, state, content) select case when i = 9 then 'b' else 'a'"
                        + " end, case when i % 2 = 0 then 'DELIVERED' else 'GIVEN_UP' end,"
                        + " jsonb_build_object('count', i, 'counts', jsonb_build_object('FAILED', i), 'from', 'x', 'until', 'y',"
                        + " 'tasks', '[]'::jsonb, 'events', '[{}]'::jsonb)::json from generate_series(1, 9) i");
        JsonNode page = api.get(PATH + "a/deliveries?limit=3").body();
        assertEquals(List.of("8", "7", "6"), counts(page));
        JsonNode next = api.get(
                        PATH + "a/deliveries?limit=5&after=" + page.get("next").textValue())
                .body();
        assertEquals(List.of("5", "4", "3", "2", "1"), counts(next));
        assertTrue(next.get("next").isNull());
        assertEquals(
                List.of("7", "5", "3", "1"),
                counts(api.get(PATH + "a/deliveries?state=GIVEN_UP,SILENCED").body()));
        assertStatus(400, api.get(PATH + "a/deliveries?state=LOST"));
        assertStatus(404, api.get(PATH + "b/deliveries"));
    }

    private static List<String> counts(JsonNode page) {
        List<String> counts = new ArrayList<>();
        page.get("items").forEach(item -> counts.add(item.at("/alert/count").asText()));
        return counts;
    }

    @Test
    void a_calendar_that_an_alert_is_silenced_by_is_not_removed() {
        api.json("PUT", "/api/v1/calendars/maintenance", "{}");
        put("a", "{\"on\":[\"FAILED\"],\"silence\":{\"calendars\":[\"maintenance\"]}," + HOOK + "}");
        Reply refused = api.delete("/api/v1/calendars/maintenance");
        assertStatus(409, refused);
        assertEquals("the calendar is respected by 1: alert a", refused.text("/detail"));
        put("a", "{\"on\":[\"FAILED\"]," + HOOK + "}");
        assertStatus(204, api.delete("/api/v1/calendars/maintenance"));
    }
}
