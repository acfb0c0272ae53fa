package io.twinbell.tools.devpair;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/** Sets up the nodes' database and roles, as the server's superuser. */
final class TwinbellDatabase {
    private static final List<String> DURABILITY = List.of("fsync", "synchronous_commit", "full_page_writes");

    private static final List<String> ROLES = List.of("postgres", "twinbell", "twinbell_sql");

    private final DataSource superuser;
    private final String password;

    /** @param password the password of all roles, digits and letters */
    TwinbellDatabase(DataSource superuser, String password) {
        this.superuser = superuser;
        this.password = password;
    }

    void setPasswords() throws SQLException {
        try (Connection connection = superuser.getConnection()) {
            for (String role : ROLES) {
                connection.unwrap(PGConnection.class).alterUserPassword(role, password.toCharArray(), "scram-sha-256");
            }
        }
    }

    /** Makes the server reload its access file, which applies to sessions that begin afterwards. */
    void readAccess() throws SQLException {
        try (Connection connection = superuser.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_reload_conf()");
        }
    }

    /**
     * Creates the roles of nodes and of sql tasks and the database if they are missing, and verifies that commits are
     * durable.
     */
    void ensure() throws SQLException, RefusedToStart {
        try (Connection connection = superuser.getConnection();
                Statement statement = connection.createStatement()) {
            requireDurable(statement);
            if (isMissing(statement, "SELECT 1 FROM pg_roles WHERE rolname = 'twinbell'")) {
                statement.execute("CREATE ROLE twinbell LOGIN");
            }
            if (isMissing(statement, "SELECT 1 FROM pg_roles WHERE rolname = 'twinbell_sql'")) {
                statement.execute("CREATE ROLE twinbell_sql LOGIN");
                // Otherwise a successor could not end the sessions of sql tasks.
                statement.execute("GRANT twinbell_sql TO twinbell");
            }
            if (isMissing(statement, "SELECT 1 FROM pg_database WHERE datname = 'twinbell'")) {
                statement.execute("CREATE DATABASE twinbell OWNER twinbell");
            }
        }
    }

    private static void requireDurable(Statement statement) throws SQLException, RefusedToStart {
        for (String setting : DURABILITY) {
            try (ResultSet row = statement.executeQuery("SHOW " + setting)) {
                row.next();
                if (!row.getString(1).equals("on")) {
                    throw new RefusedToStart("PostgreSQL runs with " + setting + " = " + row.getString(1)
                            + ", so it could lose committed data");
                }
            }
        }
    }

    private static boolean isMissing(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            return !rows.next();
        }
    }
}
