package io.twinbell.node.alert;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.calendar.store.CalendarStore;
import io.twinbell.node.cluster.store.HandlerKeys;
import io.twinbell.node.execution.StuckDetector;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What raises an alert, and when it is sent. */
@Timeout(60)
class AlertsTest {
    private static final String ALWAYS =
            ",\"silence\":{\"spans\":[{\"from\":\"2020-01-01T00:00:00Z\"," + "\"to\":\"2190-01-01T00:00:00Z\"}]%s}";
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @AutoClose
    private final AlertBench bench = new AlertBench();

    @Test
    void a_failed_execution_is_told_once_with_its_circumstances_and_the_ledger_of_deliveries_knows() {
        bench.alert("ops", "\"FAILED\"", "");
        bench.end(7, "close-day", "FAILED", "the receiver responded with 500\nat some place");
        bench.tell();
        Hooks.Call call = bench.hooks.calls.get(0);
        assertEquals("POST /hook", call.method() + " " + call.path());
        assertEquals("application/json", call.headers().getFirst("Content-Type"));
        assertEquals("1", call.attempt());
        assertEquals("ops", call.headers().getFirst("Twinbell-Alert"));
        assertEquals(Long.toString(bench.epoch.number()), call.headers().getFirst("Twinbell-Epoch"));
        JsonNode told = call.json();
        assertEquals(call.key(), told.get("key").textValue());
        assertEquals(1, told.get("count").intValue());
        assertEquals("{\"FAILED\":1}", told.get("counts").toString());
        JsonNode event = told.at("/events/0");
        assertEquals("billing", event.get("app").textValue());
        assertEquals(7, event.get("taskId").intValue());
        assertEquals("a", event.get("node").textValue());
        assertEquals(
                "billing/close-day FAILED " + event.get("fireTime").textValue() + ": the receiver responded with 500",
                told.get("summary").textValue());
        assertEquals(
                List.of("DELIVERED|1|HTTP 200|" + call.key() + "|t"),
                bench.deliveries("state, attempt, output, key, ended_at is not null"));
        bench.pass(MINUTE);
        bench.settle();
        assertEquals(1, bench.hooks.calls.size());
        assertEquals(1, bench.registry.counter("alerts_delivered").getCount());
    }

    @Test
    void an_alert_with_error_codes_is_raised_by_failures_with_these_codes_only() {
        bench.alert("busy", "\"FAILED\",\"DROPPED\"", ",\"errorCodes\":[\"HTTP_5*\",\"TIMEOUT\"]");
        bench.alert("all", "\"FAILED\"", "");
        List.of("'HTTP_503'", "'HTTP_5'", "'HTTP_404'", "'TIMEOUT'", "'TIMEOUT_2'", "null")
                .forEach(code -> bench.endWithCode("FAILED", code));
        bench.endWithCode("DROPPED", "null");
        bench.tasks.assertRows(
                "select concat_ws(' ', event, about ->> 'errorCode') from twinbell.alert_event"
                        + " where alert = 'busy' order by id",
                "FAILED HTTP_503",
                "FAILED HTTP_5",
                "FAILED TIMEOUT",
                "DROPPED");
        assertEquals(6, bench.tasks.number("select count(*) from twinbell.alert_event where alert = 'all'"));
    }

    @Test
    void only_final_outcomes_count_and_only_those_that_the_alert_is_for() {
        bench.alert("failed", "\"FAILED\"", "");
        bench.alert("lost", "\"MISSED\",\"DROPPED\"", "");
        List.of("RETRYING", "SUCCEEDED", "CANCELLED", "SKIPPED", "RUNNING")
                .forEach(state -> bench.end(1, "t", state, "x"));
        assertEquals(0, bench.events());
        bench.end(2, "t", "TIMED_OUT", "took too long");
        bench.end(3, "t", "DROPPED", null);
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, until_fire_time, app, name, state,"
                + " slots, reason) values (4, twinbell.instant(1000), twinbell.instant(9000), 'billing', 't', 'MISSED',"
                + " 8640, 'too late')");
        bench.tasks.assertRows(
                "select alert, event, about ->> 'state' from twinbell.alert_event order by id",
                "failed|FAILED|TIMED_OUT",
                "lost|DROPPED|DROPPED",
                "lost|MISSED|MISSED");
        bench.tell();
        JsonNode lost = bench.hooks.calls.stream()
                .map(Hooks.Call::json)
                .filter(told -> told.get("name").textValue().equals("lost"))
                .findFirst()
                .orElseThrow();
        assertEquals("{\"DROPPED\":1,\"MISSED\":1}", lost.get("counts").toString());
        assertEquals(8640, lost.at("/events/1/slots").intValue());
        assertEquals(
                "1970-01-01T00:00:09.000Z", lost.at("/events/1/untilFireTime").textValue());
    }

    @Test
    void where_nobody_wants_to_know_nothing_is_written() {
        bench.fail(1);
        bench.alert("off", "\"FAILED\"", ",\"enabled\":false");
        bench.alert("other", "\"MISSED\"", "");
        bench.fail(2);
        assertEquals(0, bench.events());
        bench.settle();
        assertEquals(List.of(), bench.deliveries("id"));
    }

    @Test
    void an_alert_is_told_of_the_tasks_that_it_names_alone() {
        long nightly = bench.tasks.insert("nightly", "{}", bench.nowMillis());
        bench.tasks.execute("update twinbell.full_task set tags = '{x,nightly}', owner = 'ops' where id = " + nightly);
        bench.alert("app", "\"FAILED\"", ",\"tasks\":{\"app\":\"other\"}");
        bench.alert("name", "\"FAILED\"", ",\"tasks\":{\"app\":\"billing\",\"name\":\"b\"}");
        bench.alert("tag", "\"FAILED\"", ",\"tasks\":{\"tag\":\"nightly\"}");
        bench.alert("tagOfAnother", "\"FAILED\"", ",\"tasks\":{\"tag\":\"nightly\",\"owner\":\"dev\"}");
        bench.end(5, "a", "FAILED", null);
        bench.end(6, "b", "FAILED", null);
        bench.end(nightly, "c", "FAILED", null);
        bench.tasks.assertRows(
                "select alert, about ->> 'name' from twinbell.alert_event order by id", "name|b", "tag|c");
    }

    /** Each time more than twice as many as are gathered at once. */
    @Test
    void a_storm_becomes_two_calls_that_account_for_every_failure() {
        bench.alert("ops", "\"FAILED\"", ",\"every\":\"PT1M\"");
        fail(2_500, "one");
        bench.tell();
        fail(2_500, "two");
        bench.tell();
        assertEquals(1, bench.hooks.calls.size(), "the second waits until a minute has passed");
        assertEquals(0, bench.events(), "but is gathered already");
        bench.pass(MINUTE);
        bench.settle();
        assertEquals(List.of(2_500L, 2_500L), counts());
        Hooks.Call second = bench.hooks.calls.get(1);
        assertEquals(20, second.json().get("events").size());
        assertEquals(
                "[{\"app\":\"billing\",\"name\":\"two\",\"count\":2500}]",
                second.json().get("tasks").toString());
        assertTrue(
                second.json().get("summary").textValue().startsWith("2500 FAILED; first: billing/two FAILED"),
                second.body());
        assertTrue(second.body().length() < 32_000, second.body().length() + " characters");
        assertNotEquals(bench.hooks.calls.get(0).key(), second.key());
    }

    private void fail(int times, String name) {
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, error) select i,"
                + " twinbell.instant(twinbell.now_millis()), 'billing', '" + name + "', 'FAILED', repeat('x', 5000)"
                + " from generate_series(1, " + times + ") i");
    }

    private List<Long> counts() {
        return bench.hooks.calls.stream()
                .map(call -> call.json().get("count").longValue())
                .toList();
    }

    @Test
    void a_threshold_counts_what_lies_within_its_time() {
        bench.alert("ops", "\"FAILED\"", ",\"threshold\":{\"count\":3,\"within\":\"PT10M\"}");
        bench.fail(1);
        bench.tell();
        bench.pass(Duration.ofMinutes(6));
        bench.fail(2);
        bench.tell();
        bench.pass(Duration.ofMinutes(6));
        bench.fail(3);
        bench.tell();
        assertEquals(0, bench.hooks.calls.size(), "the first was too long ago");
        bench.fail(4);
        bench.tell();
        assertEquals(List.of(3L), counts());
    }

    @Test
    void a_silence_that_keeps_tells_in_one_call_when_it_is_over() {
        bench.alert("ops", "\"FAILED\"", ALWAYS.formatted(""));
        IntStream.range(0, 30).forEach(bench::fail);
        bench.tell();
        bench.pass(Duration.ofHours(8));
        bench.fail(99);
        bench.tell();
        assertEquals(0, bench.hooks.calls.size());
        bench.alert("ops", "\"FAILED\"", "");
        bench.settle();
        assertEquals(List.of(31L), counts());
    }

    @Test
    void a_silence_that_drops_notes_what_fell_into_it_and_tells_what_lasts_when_it_is_over() {
        bench.alert("ops", "\"FAILED\",\"NO_STANDBY\"", ALWAYS.formatted(",\"keep\":false"));
        bench.noStandby = Optional.of("there is no standby");
        bench.settle();
        bench.fail(1);
        bench.tell();
        bench.pass(OngoingConditions.WITHOUT_STANDBY);
        bench.fail(2);
        bench.tell();
        assertEquals(List.of("SILENCED|2|f"), bench.deliveries("state, content ->> 'count', ended_at is not null"));
        bench.alert("ops", "\"FAILED\",\"NO_STANDBY\"", "");
        bench.tell();
        assertEquals(
                List.of("SILENCED|2|t", "DELIVERED|1|t"),
                bench.deliveries("state, content ->> 'count', ended_at is not null"));
        assertEquals(
                "{\"NO_STANDBY\":1}",
                bench.hooks.calls.get(0).json().get("counts").toString());
    }

    @Test
    void a_condition_that_began_and_ended_within_a_dropping_silence_is_not_reported() {
        bench.alert("ops", "\"NO_STANDBY\"", ALWAYS.formatted(",\"keep\":false"));
        bench.noStandby = Optional.of("there is no standby");
        bench.settle();
        bench.pass(OngoingConditions.WITHOUT_STANDBY);
        bench.settle();
        bench.noStandby = Optional.empty();
        bench.tell();
        bench.alert("ops", "\"NO_STANDBY\"", "");
        bench.tell();
        assertEquals(List.of("SILENCED|2"), bench.deliveries("state, content ->> 'count'"));
        assertEquals(0, bench.hooks.calls.size());
    }

    @Test
    void a_calendar_by_its_name_silences_as_it_changes_and_is_not_removed_meanwhile() {
        bench.calendars.put("maintenance", "{\"mode\":\"ALLOW\",\"dates\":[\"1999-01-01\"]}", null, null);
        bench.alert("ops", "\"FAILED\"", ",\"silence\":{\"calendars\":[\"maintenance\"]}");
        bench.fail(1);
        bench.tell();
        assertEquals(0, bench.hooks.calls.size());
        assertEquals(
                List.of(new CalendarStore.User(null, null, "ops")),
                bench.calendars.remove("maintenance").users().some());
        bench.calendars.put("maintenance", "{}", null, null);
        bench.tell();
        assertEquals(1, bench.hooks.calls.size());
    }

    @Test
    void the_attempts_of_what_was_gathered_before_a_silence_wait_for_its_end() {
        bench.hooks.next(Hooks.answered(500, ""));
        bench.alert("ops", "\"FAILED\"", "");
        bench.fail(1);
        bench.tell();
        bench.alert("ops", "\"FAILED\"", ALWAYS.formatted(",\"keep\":false"));
        bench.pass(MINUTE);
        bench.settle();
        assertEquals(List.of("PENDING|1"), bench.deliveries("state, attempt"));
        bench.alert("ops", "\"FAILED\"", "");
        bench.settle();
        assertEquals(List.of("DELIVERED|2"), bench.deliveries("state, attempt"));
    }

    @Test
    void a_stuck_execution_is_told_once_whoever_is_master_and_once_more_when_it_is_over() {
        bench.alert("ops", "\"STUCK\"", ",\"every\":\"PT1S\",\"tasks\":{\"app\":\"billing\"}");
        StuckDetector.Stuck ours = new StuckDetector.Stuck(
                new Slot(7, 0), "billing", "close-day", ExecutionState.RUNNING, 1, 1, "a", "runs for PT5H");
        StuckDetector.Stuck others = new StuckDetector.Stuck(
                new Slot(8, 0), "shop", "x", ExecutionState.RUNNING, 1, 1, "a", "runs for PT5H");
        bench.stuck = new StuckDetector.StuckReport(bench.nowMillis() + 1000, List.of(ours, others));
        bench.tell();
        bench.promote();
        bench.stuck = new StuckDetector.StuckReport(bench.nowMillis() + 1000, List.of(ours, others));
        bench.tell();
        assertEquals(1, bench.hooks.calls.size());
        assertEquals(
                "billing/close-day STUCK 1970-01-01T00:00:00.000Z: runs for PT5H",
                bench.hooks.calls.get(0).json().get("summary").textValue());
        bench.stuck = new StuckDetector.StuckReport(0, List.of());
        bench.tell();
        assertEquals(1, bench.hooks.calls.size(), "nobody has looked");
        bench.stuck = new StuckDetector.StuckReport(bench.nowMillis() + 1000, List.of(others));
        bench.tell();
        assertEquals(
                "billing/close-day is no longer STUCK",
                bench.hooks.calls.get(1).json().get("summary").textValue());
        assertEquals(2, bench.hooks.calls.size());
    }

    @Test
    void a_handler_that_no_node_has_is_told_until_one_has_it() {
        HandlerKeys keys = new HandlerKeys(bench.database);
        keys.publish("a", List.of("invoice.close"), List.of());
        bench.tasks.execute(
                "with t as (insert into twinbell.full_task (app, name, handler_type, handler_key, definition)"
                        + " values ('billing', 'close', 'java', 'invoice.close', '{}'),"
                        + " ('billing', 'open', 'java', 'invoice.open', '{}'), ('billing', 'old', 'java', 'old', '{}')"
                        + " returning id, handler_key) insert into twinbell.task_state (task_id, state)"
                        + " select id, case handler_key when 'old' then 'FINISHED' else 'ACTIVE' end from t");
        bench.alert("ops", "\"UNKNOWN_HANDLER\"", ",\"every\":\"PT1S\"");
        bench.unknownHandlers.step();
        bench.tell();
        assertEquals(
                "no node has a Java handler: tasks such as billing/open need the Java handler \"invoice.open\"",
                bench.hooks.calls.get(0).json().get("summary").textValue());
        keys.publish("b", List.of("invoice.open"), List.of());
        bench.pass(MINUTE);
        bench.unknownHandlers.step();
        bench.tell();
        assertEquals(
                "the Java handler \"invoice.open\" is known or no longer needed",
                bench.hooks.calls.get(1).json().get("summary").textValue());
        assertEquals(2, bench.hooks.calls.size());
    }

    @Test
    void an_http_profile_that_no_node_has_is_told_by_its_name() {
        HandlerKeys keys = new HandlerKeys(bench.database);
        keys.publish("a", List.of(), List.of());
        bench.tasks.execute("with t as (insert into twinbell.full_task (app, name, handler_type, definition)"
                + " values ('billing', 'send', 'http', '{\"handler\":{\"profile\":\"partner\"}}') returning id)"
                + " insert into twinbell.task_state (task_id, state) select id, 'ACTIVE' from t");
        bench.alert("ops", "\"UNKNOWN_HANDLER\"", ",\"every\":\"PT1S\"");
        bench.unknownHandlers.step();
        bench.tell();
        assertEquals(
                "no node has this http profile: tasks such as billing/send need the http profile \"partner\"",
                bench.hooks.calls.get(0).json().get("summary").textValue());
        keys.publish("b", List.of(), List.of("partner"));
        bench.pass(MINUTE);
        bench.unknownHandlers.step();
        bench.tell();
        assertEquals(
                "the http profile \"partner\" is known or no longer needed",
                bench.hooks.calls.get(1).json().get("summary").textValue());
    }

    @Test
    void a_missing_standby_is_told_after_ten_seconds_and_a_restart_is_none() {
        bench.alert("ops", "\"NO_STANDBY\"", ",\"every\":\"PT1S\"");
        bench.noStandby = Optional.of("there is no standby");
        bench.settle();
        bench.pass(OngoingConditions.WITHOUT_STANDBY.minusSeconds(1));
        bench.settle();
        bench.noStandby = Optional.empty();
        bench.tell();
        bench.noStandby = Optional.of("there is no standby");
        bench.settle();
        bench.pass(OngoingConditions.WITHOUT_STANDBY.minusSeconds(1));
        bench.settle();
        assertEquals(0, bench.hooks.calls.size());
        bench.pass(Duration.ofSeconds(1));
        bench.tell();
        assertEquals(
                "no node could take over from a: there is no standby",
                bench.hooks.calls.get(0).json().get("summary").textValue());
        bench.noStandby = Optional.empty();
        bench.tell();
        assertEquals(
                "a standby is available again",
                bench.hooks.calls.get(1).json().get("summary").textValue());
        assertTrue(bench.hooks.calls.get(1).json().at("/events/0/resolved").booleanValue());
        assertTrue(bench.hooks.calls.get(1).json().at("/events/0/began").isTextual());
    }

    @Test
    void changes_of_role_are_told_and_what_is_only_passed_through_is_not() {
        bench.alert("ops", "\"ROLE_CHANGE\"", ",\"tasks\":{\"app\":\"billing\"}");
        bench.tasks.execute("insert into twinbell.role_history (node, incarnation, epoch, from_role, to_role, reason,"
                + " took_millis) values ('b', gen_random_uuid(), 8, 'STANDBY', 'PROMOTING', 'latch won', 0),"
                + " ('b', gen_random_uuid(), 8, 'PROMOTING', 'MASTER', 'a is dead', 80)");
        bench.tell();
        JsonNode told = bench.hooks.calls.get(0).json();
        assertEquals(
                "node b is MASTER (epoch 8): a is dead", told.get("summary").textValue());
        assertEquals(1, told.get("count").intValue());
        assertEquals("PROMOTING", told.at("/events/0/from").textValue());
    }

    @Test
    void a_task_that_fires_no_more_is_told_with_the_reason() {
        bench.alert("ops", "\"TASK_ERROR\"", "");
        long task = bench.tasks.insert("t", "{}", bench.nowMillis());
        bench.tasks.execute("update twinbell.task_state set state = 'ERROR', state_reason = '/schedule/cron: what?'");
        bench.tell();
        JsonNode told = bench.hooks.calls.get(0).json();
        assertEquals(
                "test/t TASK_ERROR: /schedule/cron: what?", told.get("summary").textValue());
        assertEquals(task, told.at("/events/0/taskId").longValue());
    }

    @Test
    void an_alert_that_cannot_be_read_stops_no_other() {
        bench.alert("bad", "\"FAILED\"", "");
        bench.alert("good", "\"FAILED\"", "");
        bench.tasks.execute("update twinbell.alert set content = '{\"on\":[]}', version = 9 where name = 'bad'");
        bench.fail(1);
        bench.tell();
        assertEquals(List.of("good|DELIVERED"), bench.deliveries("alert, state"));
    }

    @Test
    void an_alert_whose_delivery_cannot_be_stored_stops_no_other_and_is_not_tried_at_once() {
        bench.alert("bad", "\"FAILED\"", "");
        bench.alert("good", "\"FAILED\"", "");
        bench.tasks.execute("alter table twinbell.alert_delivery add constraint refuses check (alert <> 'bad')");
        bench.fail(1);
        bench.tell();
        assertEquals(List.of("good|DELIVERED"), bench.deliveries("alert, state"));
        assertEquals(Duration.ofSeconds(1).toNanos(), bench.step());
        assertTrue(
                bench.loop.state().lastError().contains("alert bad, step GATHER"),
                bench.loop.state().lastError());
        bench.tasks.execute("alter table twinbell.alert_delivery drop constraint refuses");
        bench.tell();
        assertEquals(List.of("good|DELIVERED", "bad|DELIVERED"), bench.deliveries("alert, state"));
    }

    @Test
    void a_condition_and_an_event_of_a_newer_version_stop_no_alert() {
        bench.alert("ops", "\"FAILED\"", "");
        bench.tasks.execute("insert into twinbell.alert_condition (alert, key, event, about)"
                + " values ('ops', 'k', 'ECLIPSE', '{}')");
        bench.tasks.execute("insert into twinbell.alert_event (alert, event, about) values ('ops', 'ECLIPSE', '{}')");
        bench.fail(1);
        bench.tell();
        assertEquals(
                "{\"ECLIPSE\":1,\"FAILED\":1}",
                bench.hooks.calls.get(0).json().get("counts").toString());
        assertEquals(0, bench.tasks.number("select count(*) from twinbell.alert_condition"));
    }

    @Test
    void events_of_a_removed_alert_are_removed_with_it() {
        bench.alert("ops", "\"FAILED\"", ALWAYS.formatted(""));
        bench.fail(1);
        bench.tell();
        bench.fail(2);
        assertTrue(bench.store.remove("ops", any -> true));
        assertFalse(bench.store.remove("ops", any -> true));
        assertEquals(0, bench.events());
        assertEquals(List.of(), bench.deliveries("id"));
        bench.tasks.execute("insert into twinbell.alert_event (alert, event, about) values ('ops', 'FAILED', '{}')");
        bench.pass(Duration.ofMinutes(2));
        bench.step();
        assertEquals(0, bench.events(), "an outcome that was being recorded meanwhile leaves nothing either");
    }

    @Test
    void old_deliveries_are_removed_and_so_are_more_than_a_thousand() {
        bench.alert("ops", "\"FAILED\"", "");
        bench.tasks.execute("insert into twinbell.alert_delivery (alert, state, content, ended_at) select 'ops',"
                + " 'DELIVERED', '{}', clock_timestamp() - case when i <= 10 then interval '31 days' else '1 day' end"
                + " from generate_series(1, 1100) i");
        long oldest = bench.tasks.number("select min(id) from twinbell.alert_delivery");
        bench.step();
        assertEquals(
                List.of("1000|" + (oldest + 100)),
                bench.deliveries("count(*), min(id)").subList(0, 1));
    }
}
