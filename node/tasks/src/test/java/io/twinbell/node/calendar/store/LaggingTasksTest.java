package io.twinbell.node.calendar.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class LaggingTasksTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tables = new TestTasks(database);
    private final LaggingTasks lagging = new LaggingTasks(database);

    private long task(String name) {
        return tables.number(
                "select twinbell.add_task('app', '" + name + "', '{\"every\": \"PT1H\"}', '{\"type\": \"log\"}',"
                        + " '{\"start\": \"2027-03-01T12:00:00.000Z\"}')");
    }

    @Test
    void a_task_whose_definition_a_locked_task_shares_is_recomputed() throws SQLException {
        List<Long> ids = List.of(task("locked"), task("free"));
        tables.execute("insert into twinbell.calendar (name, content) values ('c', '{}')");
        tables.execute("insert into twinbell.task_calendar select id, 'c', 0 from twinbell.task");
        tables.execute("update twinbell.task_state set next_fire_time = '2027-03-01T12:00:00Z'");
        assertEquals(1, tables.number("select count(*) from twinbell.definition"));
        List<Long> seen = new ArrayList<>();
        try (Connection holder = database.getConnection();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("select from twinbell.task where id = " + ids.get(0) + " for update");
            lagging.change("c", 0, (task, now) -> {
                seen.add(task.id());
                return new TaskChange.Keep();
            });
        }
        assertEquals(List.of(ids.get(1)), seen);
    }
}
