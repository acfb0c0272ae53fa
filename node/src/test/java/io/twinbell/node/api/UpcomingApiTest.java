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
}
