package io.twinbell.lab.server;

import java.io.IOException;
import java.time.Duration;

/**
 * A settable clock of a development pair's database. It replaces the function {@code clock_timestamp()} in this
 * database, and shows the set time only to sessions of the user {@code twinbell}. A function in another schema, found
 * by the search path, would not work, because the nodes set their own search path. Sessions that are open at its
 * beginning or end are ended, so that none continues with the other clock.
 */
public final class DevDatabaseClock implements AutoCloseable {
    private static final String[] INSTALL = {
        "CREATE SCHEMA IF NOT EXISTS drill_clock",
        "CREATE TABLE IF NOT EXISTS drill_clock.ahead (span interval NOT NULL)",
        "TRUNCATE drill_clock.ahead",
        "INSERT INTO drill_clock.ahead VALUES (interval '0')",
        "GRANT USAGE ON SCHEMA drill_clock TO PUBLIC",
        "GRANT SELECT ON drill_clock.ahead TO PUBLIC",
        """
        DO $$ BEGIN
          IF to_regprocedure('pg_catalog.server_clock_timestamp()') IS NULL THEN
            ALTER FUNCTION pg_catalog.clock_timestamp() RENAME TO server_clock_timestamp;
            CREATE FUNCTION pg_catalog.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
            AS 'SELECT pg_catalog.server_clock_timestamp() + CASE WHEN session_user = ''twinbell'' THEN span
              ELSE interval ''0'' END FROM drill_clock.ahead';
          END IF;
        END $$""",
    };
    private static final String[] REMOVE = {
        """
        DO $$ BEGIN
          IF to_regprocedure('pg_catalog.server_clock_timestamp()') IS NOT NULL THEN
            DROP FUNCTION pg_catalog.clock_timestamp();
            ALTER FUNCTION pg_catalog.server_clock_timestamp() RENAME TO clock_timestamp;
          END IF;
        END $$""", "DROP SCHEMA IF EXISTS drill_clock CASCADE",
    };

    private final DatabaseOperator database;

    private DevDatabaseClock(DatabaseOperator database) {
        this.database = database;
    }

    static DevDatabaseClock install(DatabaseOperator database) throws IOException {
        database.execute(INSTALL);
        database.endSessions();
        return new DevDatabaseClock(database);
    }

    /** Sets the clock, from the next statement on. */
    public void set(Duration ahead) throws IOException {
        database.execute("UPDATE drill_clock.ahead SET span = interval '" + ahead.toMillis() + " milliseconds'");
    }

    @Override
    public void close() throws IOException {
        set(Duration.ZERO);
        database.execute(REMOVE[0]);
        database.endSessions();
        database.execute(REMOVE[1]);
    }
}
