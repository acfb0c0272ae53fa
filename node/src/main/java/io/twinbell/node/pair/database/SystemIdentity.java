package io.twinbell.node.pair.database;

import io.twinbell.persistence.database.DedicatedConnection;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * Records which server this database is on. Each server gets a system identifier when it is created, and shares it with
 * its replicas. A copy that was restored elsewhere has the cluster's id, but another system identifier.
 */
public final class SystemIdentity {
    /** The prefix of the reason for a pause after a move. */
    public static final String MOVED = "the database has moved";

    private final DedicatedConnection connection;

    public SystemIdentity(DedicatedConnection connection) {
        this.connection = connection;
    }

    /**
     * Records this server if none is known yet.
     *
     * @return a description of the move if the database was recorded on another server; empty also if the role may
     *     not read the system identifier
     */
    public Optional<String> lookForMove() {
        return connection.run(c -> {
            if (!mayRead(c)) {
                return Optional.empty();
            }
            try (Statement statement = c.createStatement();
                    ResultSet row = statement.executeQuery("""
                            update twinbell.cluster
                            set system_identifier = coalesce(system_identifier,
                              (select system_identifier::text from pg_control_system()))
                            returning system_identifier,
                              (select system_identifier::text from pg_control_system())""")) {
                row.next();
                return row.getString(1).equals(row.getString(2))
                        ? Optional.empty()
                        : Optional.of(MOVED + " to the server with system identifier " + row.getString(2) + " from "
                                + row.getString(1));
            }
        });
    }

    private static boolean mayRead(Connection c) throws SQLException {
        try (Statement statement = c.createStatement();
                ResultSet row = statement.executeQuery(
                        "select has_function_privilege('pg_catalog.pg_control_system()', 'execute')")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    /** Accepts a move: from now on this server is recorded as the database's server. */
    public void adopt() {
        connection.run(c -> {
            try (Statement statement = c.createStatement()) {
                return statement.executeUpdate("""
                        update twinbell.cluster
                        set system_identifier = (select system_identifier::text from pg_control_system())""");
            }
        });
    }
}
