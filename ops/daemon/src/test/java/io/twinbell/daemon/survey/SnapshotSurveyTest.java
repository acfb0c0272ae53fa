package io.twinbell.daemon.survey;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.upkeep.store.SnapshotSurvey;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class SnapshotSurveyTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();

    /** The test has its own view of sessions, so that it need not wait for a minute. */
    @Test
    void a_session_that_holds_a_snapshot_for_long_is_named_with_what_ends_it() throws SQLException {
        TestPostgres.execute(
                database,
                "create schema aged; create view aged.pg_stat_activity as select pid, datname, usename, application_name, client_addr,"
                        + " backend_xmin, backend_xid, backend_type, xact_start - interval '31 minutes' as xact_start"
                        + " from pg_catalog.pg_stat_activity");
        try (DedicatedConnection connection = new DedicatedConnection(TestSettings.of(database, "a"), "survey", 5);
                Connection report = database.getConnection();
                Statement statement = report.createStatement()) {
            SnapshotSurvey survey = new SnapshotSurvey(connection);
            report.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            report.setAutoCommit(false);
            statement.execute("set application_name = 'night report'");
            statement.execute("select count(*) from twinbell.task");
            assertEquals(List.of(), mentions(survey.survey()), "it has held it for a moment");
            connection.run(c -> {
                try (Statement path = c.createStatement()) {
                    return path.execute("set search_path = aged, pg_catalog");
                }
            });
            List<SnapshotSurvey.Holder> holders = mentions(survey.survey());
            assertEquals(1, holders.size(), holders.toString());
            assertTrue(holders.get(0).seconds() >= 31 * 60, holders.toString());
            assertTrue(holders.get(0).wayOut().startsWith("select pg_terminate_backend("), holders.toString());
            report.rollback();
            assertEquals(List.of(), mentions(survey.survey()));
        }
    }

    @Test
    void only_a_member_of_pg_monitor_sees_other_sessions() {
        TestPostgres.execute(
                database,
                "do $$ begin if to_regrole('survey_role') is null then create role survey_role login; end if; end $$");
        TestPostgres.execute(database, "revoke pg_monitor from survey_role");
        PGSimpleDataSource plain = new PGSimpleDataSource();
        plain.setUrl(database.getUrl());
        plain.setUser("survey_role");
        plain.setPassword(database.getPassword());
        assertFalse(sees(plain));
        TestPostgres.execute(database, "grant pg_monitor to survey_role");
        assertTrue(sees(plain));
        assertTrue(sees(database));
    }

    private static boolean sees(PGSimpleDataSource asRole) {
        try (DatabaseSurvey survey = new DatabaseSurvey(TestSettings.of(asRole, "a"), Ticker.SYSTEM)) {
            return survey.seesOtherSessions();
        }
    }

    private static List<SnapshotSurvey.Holder> mentions(List<SnapshotSurvey.Holder> all) {
        return all.stream()
                .filter(holder -> holder.holder().contains("night report"))
                .toList();
    }
}
