package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The project on the page about new handlers, built from an empty folder and deployed over its first version. */
@Timeout(600)
@Tag("thorough")
class DeployingPageTest {
    @TempDir
    private Path folder;

    @Test
    void the_second_version_takes_over_what_the_first_one_scheduled_and_no_slot_fails() throws Exception {
        PageProject project = new PageProject("DEPLOYING.md", folder);
        PageProject.Build build = project.build("package");
        assertEquals(0, build.exitCode(), build::output);
        try (EmbeddedPostgres database = EmbeddedPostgres.start();
                TestingServer zooKeeper = new TestingServer();
                PageProgram first = new PageProgram(folder, database, zooKeeper, "shop.FirstVersion", "a")) {
            first.await("a bills order 4711");
            try (PageProgram second = new PageProgram(folder, database, zooKeeper, "shop.SecondVersion", "b")) {
                second.await("b is ready");
                first.await("a bills order 4711");
                first.terminate();
                second.await("b bills order 4711 in EUR");
                second.await("b reminds of order 4711");
                try (PageProgram again = new PageProgram(folder, database, zooKeeper, "shop.SecondVersion", "a")) {
                    again.await("a is ready");
                    second.terminate();
                    again.await("a bills order 4711 in EUR");
                }
            }
            assertEquals(List.of(), notSucceeded(database));
        }
    }

    /** Executions that ended otherwise; one that ran when the last process was killed has not ended. */
    private static List<String> notSucceeded(EmbeddedPostgres database) throws SQLException {
        try (Connection connection = database.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "select coalesce(string_agg(distinct name || ' ' || state, ','), '')"
                                + " from twinbell.execution where state in ('FAILED', 'DROPPED', 'TIMED_OUT', 'CANCELLED')")) {
            assertTrue(rows.next());
            return rows.getString(1).isEmpty() ? List.of() : List.of(rows.getString(1));
        }
    }
}
