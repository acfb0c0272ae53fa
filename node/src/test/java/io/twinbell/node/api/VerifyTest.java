package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.json.Instants;
import io.twinbell.tools.check.Rule;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.verify.VerificationResult;
import io.twinbell.tools.verify.Verifier;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code twinbell verify} finds in a history of three tasks, sound at first and then tampered with. */
class VerifyTest {
    @AutoClose
    private static final ApiFixture api = new ApiFixture();

    private final List<Duration> rests = new ArrayList<>();
    /** A whole second of a moment ago; the history ends there. */
    private long end;

    private long grid;
    private long chain;

    /** A grid of five seconds, of which 181 slots were missed; a fixed delay of ten seconds; an hourly cron; two reigns. */
    @BeforeEach
    void tell() {
        api.clear();
        end = api.number("select twinbell.now_millis()") / 1000 * 1000;
        api.execute("insert into twinbell.epoch_opening values (3, 'a', " + at(-18_000) + "), (7, 'b', " + at(-1800.5)
                + ")");
        grid = task("grid", "{\"every\":\"PT5S\"}", -7200, 5);
        ran(grid, "generate_series(" + (end - 7_200_000) + ", " + (end - 4_205_000) + ", 5000)");
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, ended_at, until_fire_time,"
                + " slots, epoch, claimed_at, reason) values (" + grid + ", " + at(-4200) + ", 'v', 'grid', 'MISSED', "
                + at(-3300) + ", " + at(-3300) + ", 181, 3, " + at(-3299) + ", 'misfire')");
        ran(grid, "generate_series(" + (end - 3_295_000) + ", " + end + ", 5000)");
        chain = task("chain", "{\"every\":\"PT10S\",\"mode\":\"FIXED_DELAY\"}", -7200, 15);
        ran(chain, "generate_series(" + (end - 7_200_000) + ", " + end + ", 15000)");
        api.execute("update twinbell.execution set ended_at = fire_time + interval '5 s' where task_id = " + chain);
        long hourly = task("hourly", "{\"cron\":\"0 * * * *\"}", -7200, 3600);
        long hour = Math.floorDiv(end, 3_600_000L) * 3_600_000;
        api.execute("update twinbell.task_state set planned_from = twinbell.instant(" + (hour - 3_600_000)
                + "), next_fire_time = twinbell.instant(" + (hour + 3_600_000) + ") where task_id = " + hourly);
        ran(hourly, "generate_series(" + (hour - 3_600_000) + ", " + hour + ", 3600000)");
        api.execute(
                "insert into twinbell.execution (task_id, fire_time, app, name, state, epoch, claimed_at, started_at, ended_at, origin)"
                        + " values (" + grid + ", " + at(-100.5) + ", 'v', 'grid', 'SUCCEEDED', 7, " + at(-100.5) + ", "
                        + at(-100) + ", "
                        + at(-99)
                        + ", 'TRIGGERED')");
    }

    private String at(double seconds) {
        return "twinbell.instant(" + Math.round(end + seconds * 1000) + ")";
    }

    private long task(String name, String schedule, int startSeconds, int nextSeconds) {
        String start = Instants.text(end + startSeconds * 1000L);
        JsonNode made = api.post(
                        "/api/v1/tasks",
                        "{\"app\":\"v\",\"name\":\"" + name + "\",\"start\":\"" + start + "\",\"schedule\":" + schedule
                                + ",\"handler\":{\"type\":\"log\"},\"timeout\":\"PT1M\"}")
                .body();
        long id = made.get("id").longValue();
        api.execute("update twinbell.task set created_at = " + at(startSeconds - 1) + ", updated_at = "
                + at(startSeconds - 1) + " where id = " + id
                + "; update twinbell.task_state set planned_at = " + at(startSeconds - 1) + ", planned_from = "
                + at(startSeconds) + ", next_fire_time = " + at(nextSeconds) + ", previous_fire_time = " + at(0)
                + " where task_id = " + id);
        return id;
    }

    /** Claimed 50 ms ahead, started 1 ms late, over in 20 ms. */
    private void ran(long task, String fires) {
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, node, epoch, claimed_at,"
                + " started_at, ended_at) select t.id, f.at, t.app, t.name, 'SUCCEEDED',"
                + " case when f.at < " + at(-1800) + " then 'a' else 'b' end, case when f.at < " + at(-1800)
                + " then 3 else 7 end, f.at - interval '50 ms', f.at + interval '1 ms',"
                + " f.at + interval '21 ms' from (select twinbell.instant(fire) as at from " + fires
                + " as fire) as f, twinbell.task t where t.id = " + task);
    }

    private VerificationResult verify(Duration since) throws NodeException {
        Verifier.ProgressListener progressListener = new Verifier.ProgressListener() {
            @Override
            public void at(long tasksDone, String task, double part) {
                assertTrue(part >= 0 && part <= 1, task + " " + part);
            }

            @Override
            public void sleep(Duration time) {
                rests.add(time);
            }
        };
        NodeClient node = new NodeClient(URI.create(api.url()), Duration.ofSeconds(20));
        return new Verifier(node, new Verifier.Scope("v", since, Duration.ofSeconds(30), 50), progressListener)
                .verify();
    }

    @Test
    void a_sound_history_is_sound_also_where_a_row_reaches_into_the_span() throws NodeException {
        for (Duration since : List.of(Duration.ofHours(1), Duration.ofHours(24))) {
            VerificationResult verdict = verify(since);
            assertEquals(List.of(), verdict.violations());
            assertTrue(verdict.isSound());
            assertEquals(3, verdict.figures().whole(), verdict.unverified()::toString);
            assertEquals(0, verdict.figures().partly());
        }
        assertEquals(List.of(), rests, "nothing had to be looked at again");
    }

    @Test
    void a_task_whose_first_slot_is_still_to_come_is_verified_as_a_whole() throws NodeException {
        api.post(
                "/api/v1/tasks",
                "{\"app\":\"v\",\"name\":\"soon\",\"schedule\":{\"every\":\"PT24H\",\"first\":\"AFTER_INTERVAL\"},"
                        + "\"handler\":{\"type\":\"log\"}}");
        VerificationResult verdict = verify(Duration.ofHours(1));
        assertEquals(4, verdict.figures().whole(), verdict.unverified()::toString);
        assertEquals(0, verdict.figures().partly());
    }

    /** The tampering of the row at -600 s of the grid, unless it says otherwise. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "a row is deleted | delete from twinbell.execution where ROW | LOST:1",
                "an hour is deleted | delete from twinbell.execution where task_id = GRID and state = 'SUCCEEDED'"
                        + " and fire_time >= HOUR | LOST:1",
                "a row is doubled under another fire time | insert into twinbell.execution (task_id, fire_time, app, name,"
                        + " state, attempt, node, epoch, claimed_at, started_at, ended_at) select task_id, fire_time +"
                        + " interval '7 ms', app, name, state, attempt + 1, node, epoch, claimed_at, started_at + interval"
                        + " '7 ms', ended_at + interval '7 ms' from twinbell.execution where ROW"
                        + " | UNPLANNED:1 ATTEMPT_UNEXPLAINED:1",
                "a row is another attempt | update twinbell.execution set attempt = 2 where ROW | ATTEMPT_UNEXPLAINED:1",
                "a row is unfinished | update twinbell.execution set state = 'RUNNING' where ROW | UNFINISHED:1",
                "a row was never started | update twinbell.execution set state = 'CLAIMED', started_at = null,"
                        + " ended_at = null where ROW | UNFINISHED:1",
                "a row is pending | update twinbell.execution set state = 'PENDING', started_at = null, ended_at = null,"
                        + " epoch = null, claimed_at = null where ROW | UNFINISHED:1",
                "a fire time is a millisecond later | update twinbell.execution set fire_time = fire_time + interval"
                        + " '1 ms' where ROW | LOST:1 UNPLANNED:1",
                "a fire time is a millisecond earlier | update twinbell.execution set fire_time = fire_time - interval"
                        + " '1 ms' where ROW | LOST:1 UNPLANNED:1",
                "fewer slots | update twinbell.execution set slots = 180 where slots > 1 | MISCOUNTED:1",
                "more slots | update twinbell.execution set slots = 182 where slots > 1 | MISCOUNTED:1",
                "one slot for a range | update twinbell.execution set slots = 1 where slots > 1 | MISCOUNTED:2",
                "a shorter range | update twinbell.execution set until_fire_time = until_fire_time - interval '10 s'"
                        + " where slots > 1 | LOST:1 MISCOUNTED:1",
                "a longer range | update twinbell.execution set until_fire_time = until_fire_time + interval '10 s'"
                        + " where slots > 1 | COVERED_TWICE:2 MISCOUNTED:1 MISSED_UNEXPLAINED:1",
                "the next epoch | update twinbell.execution set epoch = 8 where ROW | EPOCH_UNKNOWN:1",
                "the epoch before | update twinbell.execution set epoch = 3 where ROW"
                        + " | EPOCH_BACKWARDS:1 EPOCH_SHARED:1",
                "the other node | update twinbell.execution set node = 'a' where ROW | EPOCH_SHARED:1",
                "an epoch that came later | update twinbell.execution set epoch = 7 where task_id = GRID and fire_time ="
                        + " EARLIER | EPOCH_UNKNOWN:1 EPOCH_SHARED:1",
                "no epoch | update twinbell.execution set epoch = null where ROW | CONTRADICTION:1",
                "started too early | update twinbell.execution set started_at = fire_time - interval '1 ms' where ROW"
                        + " | EARLY:1",
                "succeeded without a start | update twinbell.execution set started_at = null where ROW | CONTRADICTION:1",
                "not run and started | update twinbell.execution set state = 'SKIPPED', reason = 'x' where ROW"
                        + " | CONTRADICTION:1 SKIPPED_UNEXPLAINED:1",
                "nobody claimed it | update twinbell.execution set epoch = null, claimed_at = null where ROW"
                        + " | CONTRADICTION:1",
                "no reason | update twinbell.execution set state = 'SKIPPED', started_at = null where ROW"
                        + " | SILENT:1 SKIPPED_UNEXPLAINED:1",
                "skipped for nothing | update twinbell.execution set state = 'SKIPPED', started_at = null, reason = 'an"
                        + " earlier execution of this task was still running' where ROW | SKIPPED_UNEXPLAINED:1",
                "missed in time | update twinbell.execution set state = 'MISSED', started_at = null, claimed_at ="
                        + " fire_time + interval '1 s', reason = 'misfire: overdue by more than PT0.5S' where ROW"
                        + " | MISSED_UNEXPLAINED:1",
                "passed over by nobody | update twinbell.execution set state = 'MISSED', started_at = null, claimed_at ="
                        + " null, epoch = null, node = null, reason = 'its task was removed before it was claimed'"
                        + " where ROW | MISSED_UNEXPLAINED:1",
                "dropped by its own master | update twinbell.execution set state = 'DROPPED', reason = 'attempt 1 was"
                        + " left without an outcome by b (epoch 7); dropped' where ROW | DROPPED_UNEXPLAINED:1",
                "dropped though its task reruns | update twinbell.full_task set definition = jsonb_set(definition, '{orphan}',"
                        + " to_jsonb('RERUN'::text)) where id = GRID; update twinbell.execution set state = 'DROPPED', reason ="
                        + " 'dropped', ended_at = AFTERWARDS where task_id = GRID and fire_time = EARLIER"
                        + " | DROPPED_UNEXPLAINED:1",
                "nobody tries it again | update twinbell.execution set state = 'RETRYING', due_at = fire_time + interval"
                        + " '5 s' where ROW | UNFINISHED:1",
                "a cancelled one has no reason | update twinbell.execution set state = 'CANCELLED' where ROW | SILENT:1",
                "a row is given to nobody | update twinbell.execution set task_id = 0 where ROW | LOST:1 STRAY:1",
                "a row bears another name | update twinbell.execution set name = 'other' where ROW | STRAY:1",
                "no end | update twinbell.execution set ended_at = null where ROW | CONTRADICTION:1",
                "the chain lacks a link | delete from twinbell.execution where task_id = CHAIN and fire_time = LINK"
                        + " | CHAIN_BROKEN:1",
                "a link is shifted | update twinbell.execution set fire_time = fire_time - interval '1 ms'"
                        + " where task_id = CHAIN and fire_time = LINK | CHAIN_BROKEN:1",
                "the task was moved on by hand | update twinbell.task_state set next_fire_time = next_fire_time"
                        + " - interval '1 hour' where task_id = GRID | NOT_CAUGHT_UP:1"
            })
    void each_wound_is_found(String name, String tampering, String expected) throws NodeException {
        String row = "task_id = " + grid + " and fire_time = " + at(-600);
        api.execute(tampering
                .replace("ROW", row)
                .replace("GRID", Long.toString(grid))
                .replace("CHAIN", Long.toString(chain))
                .replace("HOUR", at(-3000))
                .replace("EARLIER", at(-4500))
                .replace("AFTERWARDS", at(-1700))
                .replace("LINK", at(-600)));
        VerificationResult verdict = verify(Duration.ofHours(2));
        List<String> found = verdict.violationsByRule().entrySet().stream()
                .map(wound -> wound.getKey() + ":" + wound.getValue())
                .sorted()
                .toList();
        assertEquals(List.of(expected.split(" ")).stream().sorted().toList(), found, verdict.violations()::toString);
    }

    @Test
    void slots_skipped_beside_a_long_run_and_released_slots_are_no_violation() throws NodeException {
        String row = "task_id = " + grid + " and fire_time = ";
        api.execute(
                "update twinbell.execution set state = 'SKIPPED', started_at = null, ended_at = fire_time + interval"
                        + " '1 ms', reason = 'an earlier execution of this task was still running' where " + row
                        + at(-295)
                        + "; update twinbell.execution set ended_at = " + at(-294) + " where " + row + at(-300));
        api.execute(
                "update twinbell.execution set state = 'DROPPED', ended_at = " + at(-150) + ", reason = 'released by"
                        + " hand: it hangs; attempt 1 was left without an outcome by b (epoch 7); dropped' where " + row
                        + at(-200));
        assertEquals(List.of(), verify(Duration.ofMinutes(10)).violations());
        assertEquals(List.of(), rests);
        api.execute("update twinbell.execution set ended_at = " + at(-299.9) + " where " + row + at(-300)
                + "; update twinbell.execution set ended_at = " + at(-294) + " where " + row + at(-1700));
        assertEquals(List.of(), verify(Duration.ofSeconds(400)).violations());
        assertEquals(1, rests.size(), "what it was skipped for lies long before the span");
    }

    @Test
    void slots_that_a_resume_caught_up_are_not_lost_and_other_backfilled_ones_cover_none() throws NodeException {
        String rows = " where task_id = " + grid + " and fire_time >= " + at(-900) + " and fire_time < " + at(-890);
        api.execute("update twinbell.execution set origin = 'CAUGHT_UP', reason = 'rerun by hand'" + rows);
        assertEquals(List.of(), verify(Duration.ofHours(1)).violations());
        api.execute("update twinbell.execution set origin = 'BACKFILLED', reason = 'backfilled'" + rows);
        assertEquals(Map.of(Rule.LOST, 1L), verify(Duration.ofHours(1)).violationsByRule());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            reruns = null | true
            reruns = 1 | false
            attempt = 2, reruns = 1 | false
            origin = 'CAUGHT_UP' | false
            """)
    void a_planned_slot_that_started_after_it_had_expired_is_a_violation(String as, boolean isOne)
            throws NodeException {
        api.execute(
                "update twinbell.full_task set definition = definition || '{\"expireAfter\":\"PT10S\"}', updated_at = "
                        + at(-7201) + " where id = " + grid);
        String row = " where task_id = " + grid + " and fire_time = " + at(-900);
        api.execute(
                "update twinbell.execution set started_at = fire_time + interval '10 s', ended_at = " + at(-880) + row);
        assertEquals(List.of(), verify(Duration.ofHours(1)).violations());
        api.execute("update twinbell.execution set started_at = fire_time + interval '10.001 s', " + as + row);
        assertEquals(
                isOne ? Map.of(Rule.EXPIRED_START, 1L) : Map.of(),
                verify(Duration.ofHours(1)).violationsByRule());
    }

    @Test
    void lost_slots_in_a_row_are_one_wound_that_says_how_many() throws NodeException {
        api.execute("delete from twinbell.execution where task_id = " + grid + " and fire_time >= " + at(-900)
                + " and fire_time < " + at(-300) + " and origin is null");
        VerificationResult verdict = verify(Duration.ofHours(1));
        assertEquals(Map.of(Rule.LOST, 1L), verdict.violationsByRule());
        assertTrue(verdict.violations().get(0).detail().endsWith(": 120 slots"), verdict.violations()::toString);
        assertEquals(1, rests.size(), "a row may have been on its way");
    }

    @Test
    void a_slot_that_a_recurrence_rule_owed_is_missed() throws NodeException {
        String dtstart = Instants.text(end - 7_200_000).replaceAll("\\..*", "");
        long rule = task(
                "rule",
                "{\"rrule\":\"FREQ=SECONDLY;INTERVAL=45\",\"dtstart\":\"" + dtstart + "\",\"exdate\":[\"1999-01-01\"]}",
                -7200,
                45);
        ran(rule, "generate_series(" + (end - 7_200_000) + ", " + end + ", 45000)");
        assertEquals(List.of(), verify(Duration.ofHours(1)).violations());
        api.execute("delete from twinbell.execution where task_id = " + rule + " and fire_time = " + at(-450));
        assertEquals(Map.of(Rule.LOST, 1L), verify(Duration.ofHours(1)).violationsByRule());
    }

    @Test
    void a_fixed_delay_under_a_calendar_is_verified_whole_and_a_link_that_it_moved_is_known() throws NodeException {
        api.json(
                "PUT",
                "/api/v1/calendars/closed",
                "{\"zone\":\"UTC\",\"spans\":[{\"from\":\"" + Instants.text(end - 3_600_000) + "\",\"to\":\""
                        + Instants.text(end - 1_800_000) + "\"}]}");
        String delay = "{\"every\":\"PT10S\",\"mode\":\"FIXED_DELAY\"},\"calendars\":[\"closed\"]";
        long held = task("held", delay, -7200, 15);
        ran(held, "generate_series(" + (end - 7_200_000) + ", " + (end - 3_615_000) + ", 15000)");
        ran(held, "generate_series(" + (end - 1_800_000) + ", " + end + ", 15000)");
        api.execute("update twinbell.execution set ended_at = fire_time + interval '5 s' where task_id = " + held);
        VerificationResult sound = verify(Duration.ofHours(24));
        assertEquals(List.of(), sound.violations());
        assertEquals(4, sound.figures().whole(), sound.unverified()::toString);
        api.execute("update twinbell.execution set fire_time = fire_time - interval '1 s' where task_id = " + held
                + " and fire_time = " + at(-1800));
        assertEquals(Map.of(Rule.CHAIN_BROKEN, 1L), verify(Duration.ofHours(24)).violationsByRule());
    }

    @Test
    void a_chain_that_goes_on_while_it_is_looked_at_is_sound() throws NodeException {
        api.execute("update twinbell.task_state set next_fire_time = " + at(3600) + " where task_id = " + chain);
        assertEquals(List.of(), verify(Duration.ofHours(1)).violations());
    }

    @Test
    void an_unfinished_execution_from_before_the_span_is_a_violation_too() throws NodeException {
        api.execute("update twinbell.execution set state = 'RUNNING', ended_at = null where task_id = " + grid
                + " and fire_time = " + at(-6000));
        assertEquals(Map.of(Rule.UNFINISHED, 1L), verify(Duration.ofHours(1)).violationsByRule());
    }

    @ParameterizedTest
    @CsvSource({"-600, PT1H", "-6000, PT1H", "-60, PT20S"})
    void a_slot_that_waits_for_its_handler_is_unfinished_only_after_a_week(int seconds, Duration since)
            throws NodeException {
        String row = " where task_id = " + grid + " and fire_time = " + at(seconds);
        api.execute("update twinbell.execution set state = 'PENDING', started_at = null, ended_at = null, epoch = null,"
                + " node = null, claimed_at = null, held_by = E'\\x01handler:close'" + row);
        VerificationResult verdict = verify(since);
        assertEquals(List.of(), verdict.violations());
        assertEquals(1, verdict.figures().underWay());
        api.execute("update twinbell.execution set held_by = null" + row);
        assertEquals(Map.of(Rule.UNFINISHED, 1L), verify(since).violationsByRule());
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, held_by) values (" + grid
                + ", " + at(-7 * 86_400 - 60) + ", 'v', 'grid', 'PENDING', E'\\x01handler:close')"
                + "; update twinbell.execution set held_by = E'\\x01handler:close'" + row);
        verdict = verify(since);
        assertEquals(Map.of(Rule.UNFINISHED, 1L), verdict.violationsByRule());
        assertTrue(
                verdict.violations().get(0).detail().endsWith("longer than any node allows"),
                verdict.violations()::toString);
    }

    /** The task's timeout is a minute. */
    @ParameterizedTest
    @CsvSource({"-600, PT1H", "-6000, PT1H"})
    void a_parked_attempt_is_unfinished_only_after_the_time_that_its_heartbeats_set(int seconds, Duration since)
            throws NodeException {
        String row = " where task_id = " + grid + " and fire_time = " + at(seconds);
        api.execute("update twinbell.execution set state = 'RUNNING', ended_at = null, epoch = 7" + row
                + "; insert into twinbell.parked (task_id, fire_time, attempt, token_hash, expires_at, timeout, is_out)"
                + " select task_id, fire_time, attempt, sha256('x'), " + at(60) + ", interval '1 minute', true"
                + " from twinbell.execution" + row);
        assertEquals(Map.of(), verify(since).violationsByRule());
        api.execute("update twinbell.parked set expires_at = " + at(-40) + row);
        VerificationResult verdict = verify(since);
        assertEquals(Map.of(Rule.UNFINISHED, 1L), verdict.violationsByRule());
        assertTrue(verdict.violations().get(0).detail().endsWith("its callback is overdue"));
        api.execute("truncate twinbell.parked");
    }

    @Test
    void an_edit_of_the_timing_binds_from_then_on_and_the_stretch_before_is_said_to_be_unverified()
            throws NodeException {
        assertStatus(200, api.json("PATCH", "/api/v1/tasks/" + grid, "{\"schedule\":{\"every\":\"PT10S\"}}"));
        VerificationResult verdict = verify(Duration.ofHours(1));
        assertEquals(List.of(), verdict.violations());
        assertEquals(1, verdict.figures().partly());
        assertTrue(
                verdict.unverified().get(0).contains("v/grid: only from")
                        && verdict.unverified().get(0).contains("the task's timing was set at"),
                verdict.unverified()::toString);
    }

    @Test
    void a_change_that_leaves_the_timing_alone_leaves_the_whole_history_bound() throws NodeException {
        api.json("PATCH", "/api/v1/tasks/" + grid, "{\"owner\":\"me\"}");
        assertEquals(3, verify(Duration.ofHours(1)).figures().whole());
    }

    @Test
    void executions_removed_by_retention_are_unverified_and_not_lost() throws NodeException {
        api.execute("delete from twinbell.execution where fire_time < " + at(-2000) + " and state = 'SUCCEEDED'");
        api.execute("insert into twinbell.forgotten values ('SUCCEEDED', " + at(-2000) + ")");
        VerificationResult verdict = verify(Duration.ofHours(1));
        assertEquals(List.of(), verdict.violations());
        assertTrue(
                verdict.unverified().toString().contains("retention has deleted older SUCCEEDED rows"),
                verdict.unverified()::toString);
    }

    @Test
    void a_definition_that_can_not_be_read_is_said_to_be_unverified() throws NodeException {
        api.execute("update twinbell.full_task set definition = '{}' where id = " + grid);
        assertEquals(1, verify(Duration.ofHours(1)).figures().none());
    }

    @Test
    void the_slots_of_a_task_come_in_pages_and_say_from_where_on_they_are_known() {
        String path = "/api/v1/tasks/" + grid + "/slots?limit=3&until=" + Instants.text(end - 7_175_000);
        JsonNode first = api.get(path).body();
        assertEquals(Instants.text(end - 7_200_000), first.get("from").textValue());
        assertEquals(3, first.get("items").size());
        JsonNode rest =
                api.get(path + "&after=" + first.get("next").textValue()).body();
        assertEquals(2, rest.get("items").size());
        assertTrue(rest.get("next").isNull());
        assertStatus(404, api.get("/api/v1/tasks/0/slots"));
        assertStatus(400, api.get("/api/v1/tasks/" + grid + "/slots?from=x"));
    }

    @Test
    void every_epoch_is_written_down_when_it_is_opened() {
        api.execute("update twinbell.epoch set epoch = 99, node = 'c', opened_at = clock_timestamp() where id = 1");
        JsonNode epochs = api.get("/api/v1/cluster/epochs?since=" + Instants.text(end - 1_000_000))
                .body();
        assertEquals(List.of("7", "99"), epochs.findValuesAsText("epoch"));
        api.execute("delete from twinbell.epoch; insert into twinbell.epoch default values");
    }
}
