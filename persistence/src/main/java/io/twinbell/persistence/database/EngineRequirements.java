package io.twinbell.persistence.database;

import io.twinbell.persistence.database.DatabaseRequirements.UnmetRequirement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Checks that a server with PostgreSQL's protocol implements locks and notifications. In some servers an advisory lock
 * is a stub that every session gets: two masters would then fire every slot twice, without an error.
 */
final class EngineRequirements {
    private static final String CHANNEL = "twinbell_requirements";

    /** A real lock is listed in {@code pg_locks}; a stub is not. No other role can guess the key and hold the lock. */
    private static final String LOCK = """
            with taken as materialized (
              select pg_try_advisory_xact_lock(hashtextextended('twinbell/requirements/' || gen_random_uuid(), 0)) as is_taken)
            select is_taken and exists (select 1 from pg_locks where locktype = 'advisory' and granted and pid = pg_backend_pid())
            from taken""";

    private EngineRequirements() {}

    /** @param connection in auto-commit mode, to a server that accepts writes */
    static List<UnmetRequirement> unmet(Connection connection) throws SQLException {
        List<UnmetRequirement> found = new ArrayList<>();
        if (!holds(connection)) {
            found.add(new UnmetRequirement(
                    "locks",
                    "the server grants an advisory lock but does not keep it, so two nodes could fire the same slot",
                    "use PostgreSQL, or a service that runs PostgreSQL's code"));
        }
        if (!notifies(connection)) {
            found.add(new UnmetRequirement(
                    "notifications",
                    "the server does not deliver notifications to a listening session",
                    "use PostgreSQL, or a service that runs PostgreSQL's code, without a pooler in"
                            + " transaction mode"));
        }
        return found;
    }

    private static boolean holds(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(LOCK)) {
            return row.next() && row.getBoolean(1);
        } catch (SQLException e) {
            if (isUnsupported(e)) {
                return false;
            }
            throw e;
        }
    }

    private static boolean notifies(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("listen " + CHANNEL);
            statement.execute("select pg_notify('" + CHANNEL + "', '')");
            PGNotification[] heard = connection.unwrap(PGConnection.class).getNotifications();
            statement.execute("unlisten " + CHANNEL);
            return heard != null && heard.length > 0;
        } catch (SQLException e) {
            if (isUnsupported(e)) {
                return false;
            }
            throw e;
        }
    }

    /** Not implemented, a syntax error, or no such function. */
    private static boolean isUnsupported(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return state.startsWith("0A") || state.equals("42601") || state.equals("42883");
    }
}
