package io.twinbell.persistence.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The sessions in which tests prepare data and look at the outcome. A session costs more than most of the statements,
 * and its first look at the partitions of the ledger still more, so a few are kept.
 */
public final class KeptSessions {
    private static final int MOST = 8;
    private static final int VALID_WITHIN_SECONDS = 5;

    /** The one that has been unused for longest comes first. */
    private static final Map<String, Connection> UNUSED = new LinkedHashMap<>();

    /** What a test does in a session. */
    @FunctionalInterface
    public interface Work<T> {
        T in(Connection session) throws SQLException;
    }

    private KeptSessions() {}

    /** Does the work in a session whose settings are the database's own. */
    public static <T> T with(DataSource database, Work<T> work) throws SQLException {
        if (!(database instanceof PGSimpleDataSource source)) {
            try (Connection session = database.getConnection()) {
                return work.in(session);
            }
        }
        Connection session = take(source);
        try {
            T result = work.in(session);
            try (Statement forget = session.createStatement()) {
                forget.execute("discard all");
            }
            keep(source, session);
            return result;
        } catch (SQLException | RuntimeException | Error e) {
            session.close();
            throw e;
        }
    }

    private static Connection take(PGSimpleDataSource source) throws SQLException {
        Connection unused;
        synchronized (UNUSED) {
            unused = UNUSED.remove(key(source));
        }
        if (unused != null) {
            if (unused.isValid(VALID_WITHIN_SECONDS)) {
                return unused;
            }
            unused.close();
        }
        return source.getConnection();
    }

    private static void keep(PGSimpleDataSource source, Connection session) throws SQLException {
        synchronized (UNUSED) {
            Connection other = UNUSED.put(key(source), session);
            if (other != null) {
                other.close();
            }
            if (UNUSED.size() > MOST) {
                Iterator<Connection> longestUnused = UNUSED.values().iterator();
                longestUnused.next().close();
                longestUnused.remove();
            }
        }
    }

    /** Ends the session that is kept for the database, if there is one. */
    static void end(PGSimpleDataSource database) throws SQLException {
        synchronized (UNUSED) {
            Connection session = UNUSED.remove(key(database));
            if (session != null) {
                session.close();
            }
        }
    }

    private static String key(PGSimpleDataSource source) {
        return source.getUser() + "@" + source.getUrl();
    }
}
