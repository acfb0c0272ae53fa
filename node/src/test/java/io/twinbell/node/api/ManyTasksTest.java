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
    void a_page_that_would_take_long_ends_early_and_the_next_ones_go_on() {
        api.execute("alter table twinbell.task disable trigger user");
        api.execute("alter table twinbell.task_state disable trigger user");
        api.execute("with d as (select (twinbell.define(array[twinbell.definition_doc(null, '{}', 'log', null,"
                + " '{\"handler\":{\"type\":\"log\"}}')]))[1] as id), t as (insert into twinbell.task (app, name,"
                + " definition_id) select 'shop', case when n <= 1000000 then 'order-' else 'Last-' end || n, d.id"
                + " from d, generate_series(1, 1000001) n returning id)"
                + " insert into twinbell.task_state (task_id) select id from t");
        String next = "";
        int pages = 0;
        JsonNode page;
        do {
            page = api.get("/api/v1/tasks?q=last" + next).body();
            next = "&after=" + page.path("next").asText();
            pages++;
        } while (page.path("items").isEmpty());
        assertEquals("Last-1000001", page.path("items").path(0).path("name").asText());
        assertTrue(page.path("next").isNull(), page.toString());
        assertTrue(pages <= 5, pages + " pages");
    }
}
