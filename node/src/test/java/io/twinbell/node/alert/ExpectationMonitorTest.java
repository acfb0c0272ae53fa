package io.twinbell.node.alert;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.alert.store.AlertStore.AlertSelection;
import io.twinbell.node.alert.store.ExpectationQueries;
import io.twinbell.node.alert.store.JdbcExpectationQueries;
import io.twinbell.node.alert.store.JdbcTaskPings;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.testing.TestDouble;
import java.sql.SQLException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an alert reports about expected things that do not happen. */
@Timeout(60)
class ExpectationMonitorTest {
    private static final String HOURLY = "{\"schedule\":{\"every\":\"PT1H\"},\"handler\":{\"type\":\"log\"}}";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration LOOK = Duration.ofSeconds(5);

    @AutoClose
    private final AlertBench bench = new AlertBench();

    /** A task that is a year old, and has fired. */
    private long task(String name) {
        long id = bench.tasks.insert(name, HOURLY, bench.nowMillis() + HOUR.toMillis());
        bench.tasks.execute("update twinbell.task set created_at = created_at - interval '1 year' where id = " + id
                + "; update twinbell.task_state set previous_fire_time = twinbell.instant(0) where task_id = " + id);
        return id;
    }

    /** @param started null if it has not started, otherwise how long ago */
    private void execution(long task, String state, Duration fired, Duration started) {
        String start = started == null ? "null" : "clock_timestamp() - interval '" + started + "'";
        boolean isPending = state.equals("PENDING");
        bench.tasks.execute(
                "insert into twinbell.execution (task_id, fire_time, app, name, state, attempt, node, epoch,"
                        + " claimed_at, started_at, ended_at) select t.id, twinbell.instant(twinbell.now_millis() - "
                        + fired.toMillis() + "), t.app, t.name, '" + state + "', 1, "
                        + (isPending ? "null, null, null, " : "'a', 1, clock_timestamp(), ") + start + ", "
                        + (state.equals("SUCCEEDED") ? start : "null") + " from twinbell.task t where t.id = " + task);
    }

    private void alert(String on, String watch) {
        bench.alert("ops", on, ",\"every\":\"PT1S\",\"tasks\":{\"app\":\"test\"},\"watch\":{" + watch + "}");
    }

    /** Checks the expectations, and sends what it finds. */
    private void look() {
        bench.step();
        bench.pass(LOOK);
        bench.watches.step();
        bench.tell();
    }

    private String told(int call) {
        return bench.hooks.calls.get(call).json().get("summary").textValue();
    }

    @Test
    void a_task_without_success_is_told_once_whoever_is_master_and_again_when_it_succeeds() {
        long silent = task("silent");
        long lively = task("lively");
        execution(silent, "SUCCEEDED", Duration.ofHours(27), Duration.ofHours(27));
        execution(silent, "FAILED", HOUR, HOUR);
        execution(lively, "SUCCEEDED", Duration.ofHours(25), Duration.ofHours(25));
        alert("\"NO_SUCCESS\"", "\"noSuccessFor\":\"PT26H\"");
        look();
        assertEquals(1, bench.hooks.calls.size());
        assertTrue(
                told(0).startsWith("test/silent NO_SUCCESS: no execution has succeeded for PT26H; last at "), told(0));
        bench.promote();
        look();
        look();
        assertEquals(1, bench.hooks.calls.size());
        execution(silent, "SUCCEEDED", MINUTE, MINUTE);
        look();
        assertEquals("test/silent has succeeded again", told(1));
    }

    @Test
    void a_task_that_never_succeeded_is_judged_once_it_should_have_fired_for_so_long() {
        long never = task("never");
        bench.tasks.execute("update twinbell.task_state set state = 'PAUSED' where task_id = " + never);
        long fresh = task("fresh");
        bench.tasks.execute("update twinbell.task set created_at = clock_timestamp() where id = " + fresh);
        long later = task("later");
        bench.tasks.execute("update twinbell.task_state set previous_fire_time = null where task_id = " + later);
        long finished = task("finished");
        bench.tasks.execute("update twinbell.task_state set state = 'FINISHED' where task_id = " + finished);
        alert("\"NO_SUCCESS\"", "\"noSuccessFor\":\"PT1H\"");
        look();
        assertEquals("test/never NO_SUCCESS: no execution has succeeded for PT1H; the task is PAUSED", told(0));
        assertEquals(1, bench.hooks.calls.size());
    }

    @Test
    void a_deadline_counts_successes_shortly_before_it_and_ends_with_one_after_it() {
        long late = task("late");
        long punctual = task("punctual");
        Instant deadline = Instant.ofEpochMilli(bench.nowMillis()).minus(MINUTE);
        LocalTime time = LocalTime.ofInstant(deadline, ZoneId.of("UTC")).withNano(0);
        execution(late, "SUCCEEDED", Duration.ofHours(3), Duration.ofHours(3));
        execution(punctual, "SUCCEEDED", HOUR, HOUR);
        alert("\"NO_SUCCESS_BY\"", "\"noSuccessBy\":{\"time\":\"" + time + "\",\"within\":\"PT2H\"}");
        look();
        assertTrue(
                told(0).startsWith("test/late NO_SUCCESS_BY: no execution has succeeded by " + time + " UTC ("),
                told(0));
        execution(late, "SUCCEEDED", Duration.ZERO, Duration.ZERO);
        look();
        assertEquals("test/late has succeeded after its deadline, or the next deadline applies", told(1));
        assertEquals(2, bench.hooks.calls.size());
    }

    @Test
    void an_execution_that_runs_long_is_told_until_it_ends() {
        long task = task("slow");
        execution(task, "RUNNING", HOUR, Duration.ofMinutes(50));
        execution(task, "RUNNING", MINUTE, MINUTE);
        alert("\"RUNNING_LONG\"", "\"runningFor\":\"PT30M\"");
        look();
        assertTrue(told(0).contains("it still runs after PT30M; it started at "), told(0));
        bench.tasks.execute("update twinbell.execution set state = 'SUCCEEDED', ended_at = clock_timestamp()");
        look();
        assertEquals("test/slow no longer runs", told(1));
    }

    @Test
    void a_late_start_whose_event_cannot_be_stored_is_told_later_and_stops_no_other_alert() {
        long task = task("t");
        for (String name : List.of("bad", "good")) {
            bench.alert(
                    name,
                    "\"STARTED_LATE\"",
                    ",\"every\":\"PT1S\",\"tasks\":{\"app\":\"test\"},\"watch\":{\"startedLaterThan\":\"PT5M\"}");
        }
        bench.tasks.execute("update twinbell.alert set updated_at = updated_at - interval '1 hour'");
        bench.tasks.execute("update twinbell.epoch set opened_at = opened_at - interval '1 hour'");
        execution(task, "SUCCEEDED", Duration.ofMinutes(20), Duration.ofMinutes(14));
        execution(task, "SUCCEEDED", Duration.ofMinutes(21), Duration.ofMinutes(15));
        bench.promoteAfter(HOUR);
        bench.tasks.execute("alter table twinbell.alert_event add constraint refuses check (alert <> 'bad')");
        look();
        assertEquals(List.of("good|DELIVERED"), bench.deliveries("alert, state"));
        assertTrue(
                bench.loop.state().lastError().contains("bad"),
                bench.loop.state().lastError());
        bench.tasks.execute("alter table twinbell.alert_event drop constraint refuses");
        look();
        assertEquals(List.of("good|2", "bad|2"), bench.deliveries("alert, content #>> '{count}'"));
    }

    @Test
    void a_late_start_is_told_once_and_a_missing_start_until_it_happens() {
        long task = task("t");
        alert("\"STARTED_LATE\"", "\"startedLaterThan\":\"PT5M\"");
        // The alert is an hour old.
        bench.tasks.execute("update twinbell.alert set updated_at = updated_at - interval '1 hour'");
        bench.tasks.execute("update twinbell.epoch set opened_at = opened_at - interval '1 hour'");
        execution(task, "SUCCEEDED", Duration.ofMinutes(20), Duration.ofMinutes(14));
        execution(task, "SUCCEEDED", Duration.ofMinutes(21), Duration.ofMinutes(17));
        execution(task, "PENDING", Duration.ofMinutes(10), null);
        bench.tasks.execute("update twinbell.task_state set next_fire_time = twinbell.instant(twinbell.now_millis()"
                + " - 360000) where task_id = " + task);
        bench.promoteAfter(HOUR);
        look();
        String first = told(0);
        assertEquals(3, bench.hooks.calls.get(0).json().get("count").asInt(), first);
        assertTrue(first.contains("it started PT6M"), first);
        assertTrue(first.contains("it has not started within PT5M"), first);
        look();
        assertEquals(1, bench.hooks.calls.size());
        bench.tasks.execute("update twinbell.execution set state = 'RUNNING', started_at = clock_timestamp()"
                + " where state = 'PENDING'");
        look();
        assertEquals("test/t no longer waits for its start", told(1));
    }

    @Test
    void a_ping_that_stays_away_is_told_until_it_comes() {
        long task = task("outside");
        JdbcTaskPings pings = new JdbcTaskPings(bench.database);
        assertEquals(OptionalLong.empty(), pings.ping(4711));
        assertTrue(pings.ping(task).isPresent());
        alert("\"NO_PING\"", "\"noPingFor\":\"PT10M\"");
        look();
        assertEquals(0, bench.hooks.calls.size());
        bench.tasks.execute("update twinbell.task_ping set at = at - interval '11 minutes'");
        look();
        assertTrue(told(0).startsWith("test/outside NO_PING: no ping has arrived for PT10M; last at "), told(0));
        pings.ping(task);
        look();
        assertEquals("test/outside was pinged again", told(1));
        bench.tasks.execute("delete from twinbell.task_state; delete from twinbell.task");
        bench.pass(Duration.ofMinutes(2));
        bench.settle();
        assertEquals(0, bench.tasks.number("select count(*) from twinbell.task_ping"));
    }

    @Test
    void a_changed_alert_is_judged_by_what_was_found_for_it_alone() {
        long task = task("t");
        execution(task, "SUCCEEDED", Duration.ofHours(3), Duration.ofHours(3));
        alert("\"NO_SUCCESS\"", "\"noSuccessFor\":\"PT2H\"");
        look();
        assertEquals(1, bench.hooks.calls.size());
        alert("\"NO_SUCCESS\"", "\"noSuccessFor\":\"PT4H\"");
        bench.tell();
        assertEquals(1, bench.hooks.calls.size(), "nothing is known of the new version yet");
        look();
        assertEquals("test/t has succeeded again", told(1));
    }

    @Test
    void a_look_that_fails_for_one_alert_does_not_hide_what_others_expect() {
        ExpectationQueries real = new JdbcExpectationQueries(bench.connection);
        ExpectationQueries failing = TestDouble.of(ExpectationQueries.class, (method, arguments) -> {
            if (method.getName().equals("runningSince")) {
                throw new DatabaseUnavailableException("look", new SQLException("too slow", "57014"));
            }
            return method.invoke(real, arguments);
        });
        ExpectationMonitor watches = new ExpectationMonitor(failing, Duration.ofDays(30), bench.ticker, bench.loop);
        task("silent");
        AlertSelection.TaskCondition all = new AlertSelection.TaskCondition(null, null, null, null);
        watches.watch(Map.of(
                "a",
                new ExpectationMonitor.Watched(1, new TaskExpectations(all, null, null, HOUR, null, null), 0),
                "b",
                new ExpectationMonitor.Watched(1, new TaskExpectations(all, HOUR, null, null, null, null), 0),
                "c",
                new ExpectationMonitor.Watched(1, new TaskExpectations(all, null, null, HOUR, null, null), 0)));
        watches.step();
        assertEquals(1, watches.found("b", 1).conditions().size());
        assertEquals(ExpectationMonitor.Unmet.NONE, watches.found("a", 1));
        assertTrue(bench.loop.state().lastError().contains("too slow"));
    }

    @Test
    void more_than_can_be_found_are_not_taken_to_be_over() {
        bench.tasks.execute(
                "with t as (insert into twinbell.full_task (app, name, handler_type, definition, created_at)"
                        + " select 'test', n::text, 'log', '" + HOURLY + "', clock_timestamp() - interval '1 year'"
                        + " from generate_series(1, " + ExpectationMonitor.MAX_FINDINGS + ") n returning id)"
                        + " insert into twinbell.task_state (task_id, previous_fire_time) select id, twinbell.instant(0) from t");
        alert("\"NO_SUCCESS\"", "\"noSuccessFor\":\"PT1H\"");
        look();
        assertEquals(
                ExpectationMonitor.MAX_FINDINGS, bench.tasks.number("select count(*) from twinbell.alert_condition"));
        long last = bench.tasks.number("select max(id) from twinbell.task");
        execution(last, "SUCCEEDED", MINUTE, MINUTE);
        task("another");
        look();
        assertEquals(
                1,
                bench.tasks.number(
                        "select count(*) from twinbell.alert_condition where key = 'NO_SUCCESS " + last + "'"));
    }

    @Test
    void expectations_are_read_with_clear_errors() {
        assertEquals("is required: it says what NO_SUCCESS expects", error("\"NO_SUCCESS\"", ""));
        assertEquals(
                "/watch/runningFor is required, because \"on\" names RUNNING_LONG", watchError("\"RUNNING_LONG\"", ""));
        assertEquals(
                "/watch/noPingFor has no effect without NO_PING in \"on\"",
                watchError("\"FAILED\"", "\"noPingFor\":\"PT1M\""));
        assertEquals(
                "/watch/noSuccessBy/time must be a time of the day such as 06:30",
                watchError("\"NO_SUCCESS_BY\"", "\"noSuccessBy\":{\"time\":\"25:00\"}"));
        assertEquals(
                "/watch/noSuccessBy/days/1 must be one of [MON, TUE, WED, THU, FRI, SAT, SUN]",
                watchError("\"NO_SUCCESS_BY\"", "\"noSuccessBy\":{\"time\":\"06:30\",\"days\":[\"MON\",\"x\"]}"));
        assertEquals(
                "/watch/startedLaterThan must lie between PT1S and PT168H",
                watchError("\"STARTED_LATE\"", "\"startedLaterThan\":\"PT0.5S\""));
    }

    private String watchError(String on, String watch) {
        return error(on, ",\"watch\":{" + watch + "}");
    }

    private String error(String on, String more) {
        InvalidJsonException refused = assertThrows(InvalidJsonException.class, () -> bench.alert("ops", on, more));
        FieldError first = refused.errors().get(0);
        return (first.pointer().equals("/watch") ? "" : first.pointer() + " ") + first.detail();
    }

    @Test
    void the_latest_deadline_is_found_across_days_and_a_change_of_the_clock() {
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        TaskExpectations.Deadline workdays = new TaskExpectations.Deadline(
                LocalTime.of(6, 30), berlin, EnumSet.range(DayOfWeek.MONDAY, DayOfWeek.FRIDAY), HOUR);
        assertEquals("2026-11-26T05:30:00Z", latest(workdays, "2026-11-26T05:30:00Z"));
        assertEquals("2026-11-25T05:30:00Z", latest(workdays, "2026-11-26T05:29:59Z"));
        assertEquals("2026-11-27T05:30:00Z", latest(workdays, "2026-11-30T05:00:00Z"));
        TaskExpectations.Deadline atNight =
                new TaskExpectations.Deadline(LocalTime.of(2, 30), berlin, EnumSet.allOf(DayOfWeek.class), HOUR);
        assertEquals("2026-03-29T01:30:00Z", latest(atNight, "2026-03-29T12:00:00Z"), "03:30 summer time");
        List.of("2026-10-25T00:30:00Z").forEach(first -> assertEquals(first, latest(atNight, "2026-10-25T12:00:00Z")));
    }

    private static String latest(TaskExpectations.Deadline deadline, String now) {
        return Instant.ofEpochMilli(deadline.latest(Instant.parse(now).toEpochMilli()))
                .toString();
    }
}
