package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.api.ApiFixture.Reply;
import io.twinbell.node.cluster.store.DrillResult;
import io.twinbell.node.cluster.store.DrillResults;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DrillApiTest {
    private static final String DRILLS = "/api/v1/cluster/drills";
    private static final String KILL = """
            {"drill":"kill","passed":true,"master":"a","successor":"b","epoch":7,"gapMillis":94,"summary":"gap 94 ms\\nPASSED"}""";

    @RegisterExtension
    static final ApiFixture api = new ApiFixture();

    @Test
    void a_stored_result_is_listed_with_its_author_newest_first() {
        Reply stored = api.post(DRILLS, KILL);
        assertStatus(201, stored);
        api.post(DRILLS, "{\"drill\":\"freeze\",\"passed\":false}");
        JsonNode items = api.get(DRILLS).body().get("items");
        assertEquals(
                "freeze kill",
                items.get(0).path("drill").asText() + " "
                        + items.get(1).path("drill").asText());
        assertEquals(stored.body(), items.get(1));
        ObjectNode entered = stored.body().deepCopy();
        assertTrue(entered.remove("by").isTextual() && entered.remove("at").isTextual(), () -> "" + stored.body());
        entered.remove("id");
        assertEquals(KILL, entered.toString());
        assertTrue(items.get(0).path("gapMillis").isNull(), items::toString);
    }

    @Test
    void pages_follow_each_other_to_the_oldest_result() {
        for (String drill : new String[] {"one", "two", "three"}) {
            api.post(DRILLS, KILL.replace("kill", drill));
        }
        JsonNode first = api.get(DRILLS + "?limit=2").body();
        assertEquals("three two", names(first));
        JsonNode second =
                api.get(DRILLS + "?limit=2&after=" + first.get("next").asText()).body();
        assertEquals("one", names(second));
        assertTrue(second.get("next").isNull());
    }

    private static String names(JsonNode page) {
        return String.join(" ", page.get("items").findValuesAsText("drill"));
    }

    @Test
    void the_oldest_results_are_forgotten() {
        api.execute("truncate twinbell.drill_result restart identity");
        api.execute("insert into twinbell.drill_result (drill, passed, summary, entered_by)"
                + " select 'old', true, '', 'x' from generate_series(1, " + DrillResults.KEPT + ")");
        api.post(DRILLS, KILL);
        assertEquals(DrillResults.KEPT, api.number("select count(*) from twinbell.drill_result"));
        assertEquals(2, api.number("select min(id) from twinbell.drill_result"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{} | /drill /passed",
                "{\"drill\":\"kill\",\"passed\":\"yes\"} | /passed",
                "{\"drill\":\"kill\",\"passed\":true,\"gapMillis\":-1} | /gapMillis",
                "{\"drill\":\"kill\",\"passed\":true,\"epoch\":1.5} | /epoch",
                "{\"drill\":\"ki\\nll\",\"passed\":true} | /drill",
                "{\"drill\":\"kill\",\"passed\":true,\"node\":\"a\"} | /node",
                "{\"drill\":\"kill\",\"passed\":true,\"summary\":\"gap\\n94\\u202e ms\"} | /summary",
                "{\"drill\":\"kill\",\"passed\":true,\"summary\":\"gap\\u001b[31m\"} | /summary",
                "{\"drill\":\"kill\",\"passed\":true,\"summary\":\"gap\\r\\n94 ms\"} | /summary"
            })
    void a_result_that_is_not_well_formed_is_refused_at_its_member(String body, String pointers) {
        Reply refused = api.post(DRILLS, body);
        assertStatus(400, refused);
        assertEquals(pointers, String.join(" ", refused.body().get("errors").findValuesAsText("pointer")));
    }

    @Test
    void a_summary_has_a_bound() {
        String longest = "x".repeat(DrillResult.MAX_SUMMARY);
        assertStatus(201, api.post(DRILLS, KILL.replace("gap 94 ms\\nPASSED", longest)));
        assertStatus(400, api.post(DRILLS, KILL.replace("gap 94 ms\\nPASSED", longest + "x")));
    }
}
