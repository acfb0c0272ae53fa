package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Delayed messages: stored, found, replaced and cancelled by the key that the application gave them. */
class TaskKeyTest {
    private static final String PUT = "/api/v1/apps/shop/tasks/order-1";
    private static final String BATCH = "/api/v1/tasks/batch";

    @AutoClose
    private final ApiFixture api = new ApiFixture();

    private static String message(String in) {
        return "{\"schedule\":{\"in\":\"" + in + "\"},\"handler\":{\"type\":\"log\"}}";
    }

    private static String item(String name, String in) {
        return "{\"app\":\"shop\",\"name\":\"" + name + "\"," + message(in).substring(1);
    }

    private static List<Integer> statuses(Reply reply) {
        List<Integer> statuses = new ArrayList<>();
        for (JsonNode item : reply.body().get("items")) {
            statuses.add(item.get("status").intValue());
        }
        return statuses;
    }

    private static String counts(Reply reply) {
        return reply.body().get("created") + " " + reply.body().get("existing") + " "
                + reply.body().get("refused");
    }

    private String scheduleOf(String name) {
        return api.text("select definition -> 'schedule' ->> 'in' from twinbell.full_task where name = '" + name + "'");
    }

    @Test
    void a_message_is_found_and_cancelled_by_its_key() {
        assertStatus(201, api.json("PUT", PUT, message("PT48H")));
        assertEquals("order-1", api.get(PUT).text("/name"));
        assertStatus(204, api.delete(PUT));
        assertEquals(0, api.tasks());
        assertStatus(404, api.get(PUT));
        Reply gone = api.delete(PUT);
        assertStatus(404, gone);
        assertTrue(gone.text("/detail").contains("no task named \"order-1\""));
    }

    @Test
    void a_key_that_is_there_already_is_refused_kept_or_replaced_as_asked() {
        JsonNode first =
                api.json("PUT", PUT + "?ifExists=REFUSE", message("PT48H")).body();

        Reply refused = api.json("PUT", PUT + "?ifExists=REFUSE", message("PT72H"));
        assertStatus(409, refused);
        assertEquals("urn:twinbell:problem:name-taken", refused.text("/type"));
        assertEquals(first, api.get(PUT).body());

        Reply kept = api.json("PUT", PUT + "?ifExists=KEEP", message("PT72H"));
        assertStatus(200, kept);
        assertEquals(first, kept.body());

        Reply replaced = api.json("PUT", PUT + "?ifExists=REPLACE", message("PT72H"));
        assertStatus(200, replaced);
        assertEquals(first.get("id"), replaced.body().get("id"));
        assertNotEquals(first.get("nextFireTime"), replaced.body().get("nextFireTime"));
        assertEquals("PT72H", scheduleOf("order-1"));
    }

    @Test
    void any_other_request_is_refused() {
        assertStatus(400, api.json("PUT", PUT + "?ifExists=overwrite", message("PT1H")));
        assertStatus(400, api.post(BATCH + "?onDuplicate=KEEP", "[]"));
        assertEquals(0, api.tasks());
    }

    @Test
    void a_batch_refuses_taken_keys_one_by_one() {
        api.post(BATCH, "[" + item("a", "PT1H") + "]");
        Reply reply =
                api.post(BATCH, "[" + item("a", "PT2H") + "," + item("b", "PT2H") + "," + item("b", "PT3H") + "]");
        assertEquals(List.of(409, 201, 409), statuses(reply));
        assertEquals("1 0 2", counts(reply));
        assertEquals("PT1H", scheduleOf("a"));
        assertEquals("PT2H", scheduleOf("b"), "the first of a name is stored");
    }

    @Test
    void a_batch_keeps_what_is_there_and_tells_its_ids() {
        Reply first = api.post(BATCH, "[" + item("a", "PT1H") + "]");
        Reply reply = api.post(BATCH + "?ifExists=KEEP", "[" + item("b", "PT2H") + "," + item("a", "PT2H") + "]");
        assertEquals(List.of(201, 200), statuses(reply));
        assertEquals("1 1 0", counts(reply));
        assertEquals(first.body().at("/items/0/id"), reply.body().at("/items/1/id"));
        assertEquals("PT1H", scheduleOf("a"));
    }

    @Test
    void a_batch_replaces_what_is_there_and_of_one_name_the_last_counts() {
        api.post(BATCH, "[" + item("a", "PT1H") + "]");
        Reply reply = api.post(
                BATCH + "?ifExists=REPLACE",
                "[" + item("a", "PT2H") + "," + item("b", "PT2H") + "," + item("a", "PT3H") + "," + item("b", "PT4H")
                        + "," + item("c", "never") + "]");
        assertEquals(List.of(200, 201, 200, 200, 400), statuses(reply));
        assertEquals("1 3 1", counts(reply));
        assertEquals("PT3H", scheduleOf("a"));
        assertEquals("PT4H", scheduleOf("b"));
    }

    @Test
    void a_replacement_that_may_not_be_leaves_its_task_and_hinders_no_other() {
        api.post(BATCH, "[" + item("a", "PT1H") + "," + item("b", "PT1H") + "]");
        // What ends before the last slot that was claimed has no further fire time.
        api.execute("update twinbell.task_state set previous_fire_time = '2100-01-01' where task_id ="
                + " (select id from twinbell.task where name = 'a')");
        Reply reply = api.post(BATCH + "?ifExists=REPLACE", "[" + item("a", "PT2H") + "," + item("b", "PT2H") + "]");
        assertEquals(List.of(400, 200), statuses(reply));
        assertEquals("PT1H", scheduleOf("a"));
        assertEquals("PT2H", scheduleOf("b"));
    }

    @Test
    void more_than_fit_in_a_transaction_are_replaced_page_by_page() {
        String items =
                IntStream.range(0, 1200).mapToObj(i -> item("n" + i, "PT1H")).collect(Collectors.joining(","));
        assertEquals("1200 0 0", counts(api.post(BATCH, "[" + items + "]")));
        Reply reply = api.post(BATCH + "?ifExists=REPLACE", "[" + items.replace("PT1H", "PT9H") + "]");
        assertEquals("0 1200 0", counts(reply));
        assertEquals(
                1200,
                api.number("select count(*) from twinbell.full_task where definition -> 'schedule' ->> 'in' = 'PT9H'"));
    }
}
