package io.twinbell.node.cluster.store;

import static io.twinbell.node.cluster.store.HandlerKeys.CodeKind.HTTP_PROFILE;
import static io.twinbell.node.cluster.store.HandlerKeys.CodeKind.JAVA_HANDLER;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.cluster.store.HandlerKeys.MissingCode;
import io.twinbell.node.cluster.store.HandlerKeys.UnknownCode;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class HandlerKeysTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final HandlerKeys keys = new HandlerKeys(database);

    HandlerKeysTest() {
        keys.publish("a", List.of("both"), List.of("shared"));
        keys.publish("b", List.of("both", "only"), List.of("partner", "shared"));
    }

    private long task(String key, String state) {
        return tasks.number(
                "with t as (insert into twinbell.full_task (app, name, handler_type, handler_key, definition)"
                        + " values ('shop', 'x', 'java', '" + key
                        + "', '{}') returning id)"
                        + " insert into twinbell.task_state (task_id, state) select id, '" + state
                        + "' from t returning task_id");
    }

    private List<MissingCode> lacking() {
        return keys.lacking(List.of("a", "b"));
    }

    @Test
    void a_node_lacks_what_an_unfinished_task_needs_and_the_other_node_has() {
        task("only", "PAUSED");
        assertEquals(List.of(new MissingCode("a", JAVA_HANDLER, "only")), lacking());
    }

    @Test
    void a_node_does_not_lack_what_only_finished_tasks_used() {
        task("only", "FINISHED");
        assertEquals(List.of(), lacking());
    }

    @Test
    void a_finished_task_needs_its_handler_until_its_last_execution_has_ended() {
        long task = task("only", "FINISHED");
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, held_by) values (" + task
                + ", now(), 'shop', 'x', 'PENDING', E'\\x01handler:only')");
        assertEquals(List.of(new MissingCode("a", JAVA_HANDLER, "only")), lacking());
        tasks.execute("update twinbell.execution set state = 'RETRYING', attempt = 1, held_by = null, due_at = now()");
        assertEquals(List.of(new MissingCode("a", JAVA_HANDLER, "only")), lacking());
        tasks.execute("update twinbell.execution set state = 'SUCCEEDED', due_at = null, ended_at = now()");
        assertEquals(List.of(), lacking());
    }

    private void call(String profile, String state) {
        tasks.execute(
                "with t as (insert into twinbell.full_task (app, name, handler_type, definition) values ('shop', '"
                        + profile + state + "', 'http', '{\"handler\":{\"profile\":\"" + profile
                        + "\"}}') returning id)"
                        + " insert into twinbell.task_state (task_id, state) select id, '" + state + "' from t");
    }

    private void alert(String profile, boolean enabled) {
        tasks.execute("insert into twinbell.alert (name, content, events) values ('a', '{\"enabled\":" + enabled
                + ",\"webhook\":{\"profile\":\"" + profile + "\"}}', '{}')");
    }

    @Test
    void a_node_lacks_the_http_profile_that_an_unfinished_task_names() {
        call("shared", "ACTIVE");
        call("partner", "FINISHED");
        assertEquals(List.of(), lacking());
        call("partner", "PAUSED");
        assertEquals(List.of(new MissingCode("a", HTTP_PROFILE, "partner")), lacking());
    }

    @Test
    void a_node_lacks_the_http_profile_that_an_enabled_alert_names() {
        alert("partner", false);
        assertEquals(List.of(), lacking());
        tasks.execute("delete from twinbell.alert");
        alert("partner", true);
        assertEquals(List.of(new MissingCode("a", HTTP_PROFILE, "partner")), lacking());
    }

    @Test
    void a_finished_task_needs_its_http_profile_until_its_last_execution_has_ended() {
        call("partner", "FINISHED");
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, attempt, due_at)"
                + " select id, now(), 'shop', 'x', 'RETRYING', 1, now() from twinbell.task");
        assertEquals(List.of(new MissingCode("a", HTTP_PROFILE, "partner")), lacking());
    }

    @Test
    void an_http_profile_that_no_node_has_is_found_by_a_task_that_uses_it() {
        call("gone", "ACTIVE");
        call("shared", "ACTIVE");
        assertEquals(List.of(new UnknownCode(HTTP_PROFILE, "gone", "shop", "goneACTIVE")), keys.unknownInUse(9));
        assertEquals(List.of(), lacking());
    }
}
