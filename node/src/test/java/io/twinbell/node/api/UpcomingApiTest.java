package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import io.twinbell.persistence.cluster.Pause;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The planned fires of the coming minutes, as the timeline of the console shows them. */
class UpcomingApiTest {
    private static final String UPCOMING = "/api/v1/schedules/upcoming";

    @AutoClose
    private final ApiFixture api = new ApiFixture();

    private final Instant noon = Instant.now().plus(Duration.ofHours(3)).truncatedTo(ChronoUnit.HOURS);

    private void task(String app, String name, String schedule, String more) {
        Reply created = api.post(
                "/api/v1/tasks",
                "{\"app\":\"" + app + "\",\"name\":\"" + name + "\",\"schedule\":" + schedule
                        + ",\"handler\":{\"type\":\"log\",\"message\":\"x\"}" + more + "}");
        assertStatus(201, created);
    }

    private JsonNode upcoming(String query) {
        Reply reply = api.get(UPCOMING + query);
        assertStatus(200, reply);
        return reply.body();
    }

    private static int fires(JsonNode answer) {
        int sum = 0;
        for (JsonNode minute : answer.get("minutes")) {
            sum += minute.get("fires").asInt();
        }
        return sum;
    }

    private static String in(Duration span) {
        return Instant.now().plus(span).truncatedTo(ChronoUnit.MILLIS).toString();
    }

    @Test
    void fires_are_counted_by_minute_with_their_peak_and_first_tasks() {
        String hour = Instant.now()
                .plus(2, ChronoUnit.HOURS)
                .truncatedTo(ChronoUnit.HOURS)
                .toString();
        task("shop", "first", "{\"at\":\"" + hour + "\"}", "");
        task("shop", "second", "{\"at\":\"" + hour + "\"}", "");
        task("bank", "third", "{\"at\":\"" + hour.replace(":00Z", ":20Z") + "\"}", "");
        JsonNode minutes = upcoming("").get("minutes");
        assertEquals(1, minutes.size(), minutes.toString());
        JsonNode minute = minutes.get(0);
        assertEquals(Instant.parse(hour), Instant.parse(minute.get("at").asText()));
        assertEquals(3, minute.get("fires").asInt());
        assertEquals(2, minute.get("peakFires").asInt());
        assertEquals("first", minute.at("/first/0/name").asText());
        assertEquals(1, fires(upcoming("?app=bank")));
    }

    @Test
    void a_task_counts_until_its_runs_are_used_up_and_not_while_it_is_paused() {
        task("shop", "thrice", "{\"every\":\"PT10M\"}", ",\"maxRuns\":3");
        task("shop", "off", "{\"every\":\"PT10M\"}", ",\"enabled\":false");
        assertEquals(3, fires(upcoming("")));
    }

    @Test
    void counts_that_end_at_the_bound_on_steps_continue_from_there() {
        for (int i = 0; i < 20; i++) {
            task("shop", "quick" + i, "{\"cron\":\"* * * * * *\"}", "");
        }
        JsonNode answer = upcoming("");
        Instant complete = Instant.parse(answer.get("completeUntil").asText());
        Duration covered = Duration.between(Instant.parse(answer.get("now").asText()), complete);
        assertTrue(covered.toMinutes() >= 163 && covered.toMinutes() <= 167, covered.toString());
        assertEquals(complete.truncatedTo(ChronoUnit.MINUTES), complete);
        JsonNode rest =
                upcoming("?from=" + complete + "&until=" + answer.get("until").asText());
        assertEquals(complete, Instant.parse(rest.at("/minutes/0/at").asText()));
        assertEquals(1200, rest.at("/minutes/0/fires").asInt());
        assertEquals(20, rest.at("/minutes/0/peakFires").asInt());
    }

    @Test
    void intervals_are_counted_for_the_whole_span_by_arithmetic() {
        Instant start = Instant.now().plus(Duration.ofMinutes(2)).truncatedTo(ChronoUnit.MINUTES);
        task("shop", "quick", "{\"every\":\"PT0.01S\"}", ",\"start\":\"" + start + "\"");
        task("shop", "after", "{\"every\":\"PT1S\",\"mode\":\"FIXED_DELAY\"}", ",\"start\":\"" + start + "\"");
        task("shop", "few", "{\"every\":\"PT0.5S\"}", ",\"maxRuns\":130,\"start\":\"" + start + "\"");
        JsonNode answer = upcoming("?until=" + start.plus(Duration.ofHours(20)));
        assertEquals(answer.get("until"), answer.get("completeUntil"));
        assertEquals(1200, answer.get("minutes").size());
        assertEquals(6000 + 60 + 120, answer.at("/minutes/0/fires").asInt());
        assertEquals(6000 + 60 + 10, answer.at("/minutes/1/fires").asInt());
        assertEquals(6000 + 60, answer.at("/minutes/1199/fires").asInt());
        assertEquals(3, answer.at("/minutes/0/peakFires").asInt());
        JsonNode later = upcoming(
                "?from=" + start.plus(Duration.ofSeconds(60)) + "&until=" + start.plus(Duration.ofSeconds(120)));
        assertEquals(answer.at("/minutes/1/fires"), later.at("/minutes/0/fires"));
        assertEquals(6000, named(later, "quick").get("fires").asInt());
    }

    @Test
    void beyond_two_thousand_tasks_the_next_fire_of_each_task_is_counted() {
        Instant at = Instant.now().plus(Duration.ofMinutes(90)).truncatedTo(ChronoUnit.MINUTES);
        StringBuilder tasks = new StringBuilder();
        for (int i = 0; i < 2100; i++) {
            tasks.append(i == 0 ? "" : ",")
                    .append("""
                    {"app":"%s","name":"many%s","schedule":{"every":"PT1H"},"start":"%s",
                     "handler":{"type":"java","key":"twinbell.noop"}}""".formatted(i % 2 == 0 ? "even" : "odd", i, at.plus(Duration.ofSeconds(i))));
        }
        assertStatus(200, api.post("/api/v1/tasks/batch", "[" + tasks + "]"));
        JsonNode answer = upcoming("?until=" + at.plus(Duration.ofHours(5)));
        assertEquals(
                at.plusSeconds(2000), Instant.parse(answer.get("completeUntil").asText()));
        JsonNode nextFires = answer.get("nextFires");
        assertEquals(at.plusSeconds(1980), Instant.parse(nextFires.at("/0/at").asText()));
        assertEquals(40, nextFires.at("/0/tasks").asInt());
        assertEquals(60, nextFires.at("/1/tasks").asInt());
        assertEquals(2, nextFires.size());
        assertEquals(
                0, upcoming("?until=" + at.plusSeconds(1999)).get("nextFires").size());
        assertEquals(
                0,
                upcoming("?app=even&until=" + at.plus(Duration.ofHours(5)))
                        .get("nextFires")
                        .size());
    }

    private static JsonNode named(JsonNode answer, String name) {
        for (JsonNode task : answer.at("/minutes/0/first")) {
            if (task.get("name").asText().equals(name)) {
                return task;
            }
        }
        throw new AssertionError(name + " is not in " + answer);
    }

    @Test
    void all_tasks_of_one_minute_are_named_on_request() {
        Instant at = Instant.now().plus(Duration.ofMinutes(90)).truncatedTo(ChronoUnit.MINUTES);
        for (int i = 0; i < 12; i++) {
            task("shop", "t" + i, "{\"at\":\"" + at.plusSeconds(i) + "\"}", "");
        }
        String minute = "?from=" + at + "&until=" + at.plusSeconds(60);
        assertEquals(5, upcoming(minute).at("/minutes/0/first").size());
        JsonNode all = upcoming(minute + "&names=1000").at("/minutes/0/first");
        assertEquals(12, all.size());
        assertEquals("t11", all.get(11).get("name").asText());
        assertEquals(at.plusSeconds(11), Instant.parse(all.get(11).get("at").asText()));
        assertStatus(400, api.get(UPCOMING + "?names=6"));
        assertStatus(400, api.get(UPCOMING + minute + "&names=1001"));
        assertStatus(400, api.get(UPCOMING + "?from=" + in(Duration.ofHours(25))));
    }

    @Test
    void fires_that_a_pause_stops_are_counted_apart_and_the_pause_is_named() {
        Instant at = Instant.now().plus(Duration.ofMinutes(90)).truncatedTo(ChronoUnit.MINUTES);
        task("shop", "stopped", "{\"every\":\"PT1S\"}", ",\"start\":\"" + at + "\"");
        task("bank", "runs", "{\"at\":\"" + at + "\"}", "");
        api.cluster.standing = List.of(
                new Pause(0, at.plusSeconds(19).toEpochMilli(), "stocktaking", "bob", false, "app:shop"),
                new Pause(0, Long.MAX_VALUE, "other", "bob", false, "app:museum"));
        JsonNode answer = upcoming("?from=" + at + "&until=" + at.plusSeconds(60));
        assertEquals(41, answer.at("/minutes/0/fires").asInt());
        assertEquals(20, answer.at("/minutes/0/paused").asInt());
        assertEquals(1, answer.get("pauses").size());
        assertEquals("stocktaking", answer.at("/pauses/0/reason").asText());
        assertTrue(named(answer, "stopped").get("paused").asBoolean());
    }

    @Test
    void a_span_in_the_past_or_beyond_a_day_is_refused() {
        assertStatus(400, api.get(UPCOMING + "?until=" + in(Duration.ofMinutes(-1))));
        assertStatus(400, api.get(UPCOMING + "?until=" + in(Duration.ofHours(25))));
    }

    private void add(String name, String schedule, String more) {
        Reply created = api.post(
                "/api/v1/tasks",
                "{\"app\":\"a\",\"name\":\"" + name + "\",\"schedule\":" + schedule
                        + ",\"handler\":{\"type\":\"log\",\"message\":\"x\"}" + more + "}");
        assertStatus(201, created);
    }

    private JsonNode forecast(String query) {
        Reply reply = api.get("/api/v1/forecast?from=" + noon + query);
        assertStatus(200, reply);
        return reply.body();
    }

    @Test
    void the_busiest_minute_is_named_with_its_tasks_and_its_peak() {
        add("every", "{\"every\":\"PT1M\",\"align\":\"PT1M\"}", "");
        for (String name : new String[] {"one", "two"}) {
            add(name, "{\"at\":\"" + noon.plusSeconds(3600) + "\"}", "");
        }
        JsonNode answer = forecast("");
        assertTrue(answer.get("complete").asBoolean());
        assertEquals(1442, answer.get("runs").asInt());
        JsonNode busiest = answer.get("busiestMinutes").get(0);
        assertEquals(noon.plusSeconds(3600), Instant.parse(busiest.get("at").asText()));
        assertEquals(3, busiest.get("peakRuns").asInt());
        assertEquals(3, busiest.get("first").size());
        assertEquals(2, answer.get("endingTasks").asInt());
        assertEquals(62, answer.get("hours").get(1).get("runs").asInt());
    }

    @Test
    void runs_of_chains_are_counted_with_their_own_limits_and_skips() {
        String never = "{\"at\":\"2199-01-01T00:00:00Z\"}";
        add("leaf", never, "");
        add("off", never, ",\"enabled\":false");
        add("middle", never, ",\"then\":[\"leaf\",\"off\",\"gone\",{\"app\":\"b\",\"name\":\"away\"}]");
        add("root", "{\"every\":\"PT1H\",\"align\":\"PT1H\"}", ",\"then\":[\"middle\",\"leaf\"]");
        assertStatus(201, api.json("PUT", "/api/v1/limits/app:a", "{\"rate\":{\"max\":3,\"per\":\"PT1M\"}}"));
        JsonNode answer = forecast("");
        assertEquals(24 * 4, answer.get("runs").asInt(), "root, middle and leaf twice, each hour");
        assertEquals(24, answer.get("skippedSlots").asInt(), "a paused follower");
        assertEquals("off", answer.at("/skips/0/name").asText());
        assertEquals(4, answer.at("/busiestMinutes/0/peakRuns").asInt());
        assertEquals("app:a", answer.at("/limits/0/key").asText());
    }

    @Test
    void a_chain_that_is_a_cycle_ends_as_in_the_ledger() {
        String never = "{\"at\":\"2199-01-01T00:00:00Z\"}";
        add("self", never, ",\"then\":[\"self\"]");
        add("once", "{\"at\":\"" + noon.plusSeconds(60) + "\"}", ",\"then\":[\"self\"]");
        assertEquals(101, forecast("").get("runs").asInt());

        for (String name : new String[] {"x", "y", "z", "w"}) {
            add(name, never, ",\"then\":[\"x\",\"y\",\"z\",\"w\"]");
        }
        add("wide", "{\"at\":\"" + noon.plusSeconds(120) + "\"}", ",\"then\":[\"x\"]");
        assertEquals(101 + 2 + 10_000, forecast("").get("runs").asInt(), "wide, its follower and those that count");
    }

    @Test
    void a_limit_that_demand_exceeds_is_shown_with_its_first_instant() {
        assertStatus(
                201, api.json("PUT", "/api/v1/limits/db", "{\"maxRunning\":1,\"rate\":{\"max\":1,\"per\":\"PT1H\"}}"));
        for (String name : new String[] {"one", "two"}) {
            add(name, "{\"at\":\"" + noon.plusSeconds(60) + "\"}", ",\"concurrencyKey\":\"db\"");
        }
        JsonNode limits = forecast("").get("limits");
        assertEquals(2, limits.size(), limits.toString());
        assertEquals(2, limits.get(0).get("demand").asInt());
        assertEquals(
                noon.plusSeconds(60), Instant.parse(limits.get(0).get("firstAt").asText()));
        assertEquals("PT1H", limits.get(1).get("binds").asText());
    }

    @Test
    void minutes_and_hours_are_those_of_the_clock_whatever_the_begin() {
        add("once", "{\"at\":\"" + noon.plusSeconds(3600) + "\"}", "");
        Reply reply = api.get("/api/v1/forecast?from=" + noon.plusMillis(1_234_567));
        JsonNode answer = reply.body();
        assertEquals(
                noon.plusSeconds(3600),
                Instant.parse(answer.get("busiestMinutes").get(0).get("at").asText()));
        assertEquals(
                noon.plusSeconds(3600),
                Instant.parse(answer.get("hours").get(0).get("at").asText()));
        assertEquals("PT1S", answer.get("limitStep").asText());
    }

    @Test
    void a_span_that_is_too_long_or_has_passed_is_refused() {
        assertStatus(400, api.get("/api/v1/forecast?days=31"));
        assertStatus(400, api.get("/api/v1/forecast?from=2026-01-01T00:00:00Z"));
    }
}
