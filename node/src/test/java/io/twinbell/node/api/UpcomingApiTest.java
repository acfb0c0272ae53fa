package io.twinbell.node.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The planned fires of the coming minutes, as the timeline of the console shows them. */
class UpcomingApiTest {
    private static final String UPCOMING = "/api/v1/schedules/upcoming";
    private ApiFixture api;

    @BeforeEach
    void start() {
        api = new ApiFixture();
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private void task(String app, String name, String schedule, String more) {
        Reply created = api.post(
                "/api/v1/tasks",
                "{\"app\":\"" + app + "\",\"name\":\"" + name + "\",\"schedule\":" + schedule
                        + ",\"handler\":{\"type\":\"log\",\"message\":\"x\"}" + more + "}");
        assertEquals(201, created.status(), created.body().toString());
    }

    private JsonNode upcoming(String query) {
        Reply reply = api.get(UPCOMING + query);
        assertEquals(200, reply.status(), reply.body().toString());
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
    void counts_end_where_the_bound_on_fires_is_reached() {
        task("shop", "quick", "{\"every\":\"PT0.01S\"}", "");
        JsonNode answer = upcoming("");
        assertTrue(fires(answer) <= 50_000, "fires " + fires(answer));
        Instant complete = Instant.parse(answer.get("completeUntil").asText());
        Duration covered = Duration.between(Instant.parse(answer.get("now").asText()), complete);
        assertTrue(covered.toMinutes() >= 7 && covered.toMinutes() <= 9, covered.toString());
    }

    @Test
    void a_span_in_the_past_or_beyond_a_day_is_refused() {
        assertEquals(
                400, api.get(UPCOMING + "?until=" + in(Duration.ofMinutes(-1))).status());
        assertEquals(
                400, api.get(UPCOMING + "?until=" + in(Duration.ofHours(25))).status());
    }
}
