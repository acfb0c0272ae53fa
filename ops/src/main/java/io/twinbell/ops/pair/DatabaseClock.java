package io.twinbell.ops.pair;

import java.io.IOException;
import java.time.Duration;

/**
 * The clock of a development pair's database, which can be set: for the user {@code twinbell} another function stands
 * before the server's own {@code clock_timestamp()}. What sessions there are at its beginning and end goes by the other
 * clock until they are renewed.
 */
public final class DatabaseClock implements AutoCloseable {
    private static final String[] INSTALL = {
        "CREATE SCHEMA IF NOT EXISTS drill_clock",
        "CREATE TABLE IF NOT EXISTS drill_clock.ahead (span interval NOT NULL)",
        "TRUNCATE drill_clock.ahead",
        "INSERT INTO drill_clock.ahead VALUES (interval '0')",
        "CREATE OR REPLACE FUNCTION drill_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE"
                + " AS 'SELECT pg_catalog.clock_timestamp() + span FROM drill_clock.ahead'",
        "GRANT USAGE ON SCHEMA drill_clock TO twinbell",
        "GRANT SELECT ON drill_clock.ahead TO twinbell",
        "ALTER ROLE twinbell SET search_path = drill_clock, pg_catalog, \"$user\", public",
    };
    private static final String[] REMOVE = {
        "ALTER ROLE twinbell RESET search_path", "DROP SCHEMA IF EXISTS drill_clock CASCADE",
    };

    private final DatabaseOperator database;

    private DatabaseClock(DatabaseOperator database) {
        this.database = database;
    }

    static DatabaseClock install(DatabaseOperator database) throws IOException {
        database.execute(INSTALL);
        database.endSessions();
        return new DatabaseClock(database);
    }

    /** From the next statement on. */
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
