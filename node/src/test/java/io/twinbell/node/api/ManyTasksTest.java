package io.twinbell.node.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("thorough")
class ManyTasksTest {
    @AutoClose
    private final ApiFixture api = new ApiFixture();

    @Test
    void a_part_of_a_name_is_searched_a_million_tasks_a_page() {
        api.execute("alter table twinbell.task disable trigger user");
        api.execute("alter table twinbell.task_state disable trigger user");
        api.execute("with d as (select (twinbell.define(array[twinbell.definition_doc(null, '{}', 'log', null,"
                + " '{\"handler\":{\"type\":\"log\"}}')]))[1] as id), t as (insert into twinbell.task (app, name,"
                + " definition_id) select 'shop', case when n <= 1000000 then 'order-' else 'Last-' end || n, d.id"
                + " from d, generate_series(1, 1000001) n returning id)"
                + " insert into twinbell.task_state (task_id) select id from t");
        JsonNode first = api.get("/api/v1/tasks?q=last").body();
        assertEquals(0, first.path("items").size());
        assertTrue(first.path("next").isTextual(), first.toString());
        JsonNode second = api.get(
                        "/api/v1/tasks?q=last&after=" + first.path("next").asText())
                .body();
        assertEquals("Last-1000001", second.path("items").path(0).path("name").asText());
        assertTrue(second.path("next").isNull(), second.toString());
        assertEquals(
                1,
                api.get("/api/v1/tasks?q=order-7&limit=1").body().path("items").size());
    }
}
