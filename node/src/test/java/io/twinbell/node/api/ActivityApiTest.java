package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ActivityApiTest {
    private static final String ACTIVITY = "/api/v1/cluster/activity";

    @RegisterExtension
    static final ApiFixture api = new ApiFixture();

    private static void store(String minute, int epoch, String node) {
        api.execute("insert into twinbell.activity_minute values (" + minute + ", " + epoch + ", '" + node
                + "', 7, 4, 1, 0, 2, 1.5, null)");
    }

    @Test
    void a_minute_shows_claims_outcomes_and_lateness() {
        store("'2026-06-01 10:00Z'", 29, "a");
        assertEquals(
                "[{\"minute\":\"2026-06-01T10:00:00.000Z\",\"node\":\"a\",\"epoch\":29,\"claimed\":7,\"succeeded\":4,"
                        + "\"failed\":1,\"cancelled\":0,\"notRun\":2,\"latenessP50Millis\":1.5,"
                        + "\"latenessP99Millis\":null}]",
                api.get(ACTIVITY + "?from=2026-06-01T10:00:00Z&until=2026-06-01T10:01:00Z")
                        .body()
                        .get("items")
                        .toString());
    }

    @Test
    void a_span_has_its_minutes_in_order_and_both_masters_of_a_minute() {
        store("'2026-06-01 10:02Z'", 31, "a");
        store("'2026-06-01 10:01Z'", 30, "b");
        store("'2026-06-01 10:01Z'", 29, "a");
        store("'2026-06-01 09:59Z'", 29, "a");
        JsonNode items = api.get(ACTIVITY + "?from=2026-06-01T10:00:00Z&until=2026-06-01T10:02:00Z")
                .body()
                .get("items");
        assertEquals("[29, 30]", items.findValuesAsText("epoch").toString());
    }

    @Test
    void without_parameters_the_last_hour_is_shown() {
        store("date_trunc('minute', now()) - interval '2 minutes'", 2, "a");
        store("now() - interval '61 minutes'", 1, "a");
        JsonNode answer = api.get(ACTIVITY).body();
        assertEquals("[2]", answer.get("items").findValuesAsText("epoch").toString());
        assertTrue(answer.get("now").isTextual());
    }

    @ParameterizedTest
    @CsvSource({
        "from=2026-06-02T10:00:00Z&until=2026-06-02T10:00:00Z",
        "from=2026-06-02T10:00:00Z&until=2026-06-01T10:00:00Z",
        "from=2026-06-01T10:00:00Z&until=2026-06-02T10:00:00.001Z"
    })
    void a_span_that_is_empty_or_too_long_is_refused(String query) {
        Reply refused = api.get(ACTIVITY + "?" + query);
        assertStatus(400, refused);
        assertTrue(
                refused.raw().body().contains("24 hours"), () -> refused.raw().body());
    }
}
