package io.twinbell.persistence.cluster;

import static io.twinbell.persistence.cluster.HandlerKeys.CodeKind.JAVA_HANDLER;
import static io.twinbell.persistence.cluster.HandlerKeys.CodeKind.SCHEDULE_TYPE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.persistence.cluster.HandlerKeys.MissingCode;
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
        keys.publish("a", List.of("both"), List.of());
        keys.publish("b", List.of("both", "only"), List.of("tide"));
    }

    private long task(String key, String state) {
        return tasks.number("with t as (insert into twinbell.task (app, name, handler_type, handler_key, definition)"
                + " values ('shop', 'x', 'java', '" + key + "', '{\"schedule\":{\"type\":\"tide\"}}') returning id)"
                + " insert into twinbell.task_state (task_id, state) select id, '" + state
                + "' from t returning task_id");
    }

    private List<MissingCode> lacking() {
        return keys.lacking(List.of("a", "b"));
    }

    @Test
    void a_node_lacks_what_an_unfinished_task_needs_and_the_other_node_has() {
        task("only", "PAUSED");
        assertEquals(
                List.of(new MissingCode("a", JAVA_HANDLER, "only"), new MissingCode("a", SCHEDULE_TYPE, "tide")),
                lacking());
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
}
