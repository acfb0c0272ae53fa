package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class StuckApiTest {
    @RegisterExtension
    static final ApiFixture api = new ApiFixture();

    @BeforeEach
    void empty() {
        api.execute("update twinbell.epoch set epoch = 7, opened_at = clock_timestamp() - interval '1 hour'");
    }

    private static void running(long task, long epoch, String since) {
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, node, epoch, claimed_at,"
                + " started_at) select " + task + ", date_trunc('milliseconds', began.at), 'a', 'n" + task
                + "', 'RUNNING', 'a', " + epoch + ", began.at, began.at from (select clock_timestamp() - interval '"
                + since + "' as at) began");
    }

    private static List<String> stuck() {
        api.ticker.pass(Duration.ofSeconds(30));
        api.stuck.step();
        return api.get("/api/v1/executions/stuck").body().get("items").findValuesAsText("name");
    }

    @Test
    void a_run_is_held_against_its_own_tasks_past_and_against_the_epoch() {
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, started_at, ended_at)"
                + " select t, f.at, 'a', 'n', 'SUCCEEDED', f.at, f.at + t * interval '1 s' from (select clock_timestamp()"
                + " - interval '2 hours' + i * interval '1 s' as at from generate_series(1, 100) i) f,"
                + " generate_series(1, 20) t");
        running(1, 7, "2 minutes");
        running(20, 7, "2 minutes");
        running(21, 7, "2 minutes");
        running(5, 6, "11 seconds");
        assertEquals(List.of("n1", "n5"), stuck());
        JsonNode answer = api.get("/api/v1/executions/stuck").body();
        assertTrue(answer.at("/items/0/reason").textValue().contains("99 % of its last 100 runs took at most PT1S"));
        assertTrue(answer.get("lookedAt").isTextual());
    }

    @Test
    void it_is_looked_every_thirty_seconds_and_no_more() {
        assertEquals(List.of(), stuck());
        running(5, 6, "11 seconds");
        api.ticker.pass(Duration.ofSeconds(29));
        api.stuck.step();
        assertEquals(0, api.stuck.stuckReport().stuck().size());
        assertEquals(List.of("n5"), stuck());
    }

    @Test
    void an_orphan_that_waits_for_the_end_of_a_pause_is_not_stuck() {
        running(5, 6, "1 minute");
        assertEquals(List.of("n5"), stuck());
        api.execute("insert into twinbell.firing_pause (reason, paused_by) values ('r', 'p')");
        assertEquals(List.of(), stuck());
        api.execute("update twinbell.firing_pause set resumed_at = clock_timestamp() - interval '5 seconds'");
        assertEquals(List.of(), stuck());
        api.execute("update twinbell.firing_pause set resumed_at = clock_timestamp() - interval '11 seconds'");
        assertEquals(List.of("n5"), stuck());
    }

    @Test
    void a_release_leaves_a_wish_for_the_master_and_only_for_what_is_claimed() {
        running(5, 6, "11 seconds");
        String id = api.text("select task_id || '-' || twinbell.millis(fire_time) from twinbell.execution");
        Reply reply = api.post("/api/v1/executions/" + id + "/release", "{\"reason\":\"hangs\"}");
        assertStatus(202, reply);
        assertEquals(id, reply.text("/id"));
        assertEquals("hangs", api.text("select reason from twinbell.release_request"));
        assertEquals(202, api.post("/api/v1/executions/" + id + "/release", "").status(), "twice is once");
        api.execute("update twinbell.execution set state = 'SUCCEEDED'");
        assertStatus(409, api.post("/api/v1/executions/" + id + "/release", ""));
        assertStatus(404, api.post("/api/v1/executions/5-1/release", ""));
    }
}
