package io.twinbell.node.engine;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.testing.TestSettings;
import java.sql.SQLException;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The sessions of a bench. The next bench on the database takes them over: the first statements of a session cost more
 * than most tests do in it.
 */
record BenchSessions(
        DataSource database,
        DatabaseSettings settings,
        DedicatedConnection claims,
        DedicatedConnection outcomes,
        DedicatedConnection epochs) {
    private static BenchSessions kept;

    static synchronized BenchSessions of(PGSimpleDataSource database) {
        BenchSessions latest = kept;
        kept = null;
        if (latest != null && latest.database == database) {
            latest.all().forEach(BenchSessions::discardIfBroken);
            return latest;
        }
        if (latest != null) {
            latest.end();
        }
        DatabaseSettings settings = TestSettings.of(database, "a");
        return new BenchSessions(
                database,
                settings,
                new DedicatedConnection(settings, "claim", 5),
                new DedicatedConnection(settings, "record", 5),
                new DedicatedConnection(settings, "epoch", 5));
    }

    static synchronized void keep(BenchSessions sessions) {
        if (kept != null) {
            kept.end();
        }
        kept = sessions;
    }

    /** A test may have ended the session while nobody used it. */
    static void discardIfBroken(DedicatedConnection connection) {
        try {
            connection.run(session -> {
                if (!session.isValid(5)) {
                    throw new SQLException("the session has ended");
                }
                return null;
            });
        } catch (DatabaseUnavailableException e) {
            // It opens a new session when it is used.
        }
    }

    private void end() {
        all().forEach(DedicatedConnection::close);
    }

    private Stream<DedicatedConnection> all() {
        return Stream.of(claims, outcomes, epochs);
    }
}
