package io.twinbell.node.pair;

import com.zaxxer.hikari.HikariDataSource;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.SessionSource;
import java.sql.Connection;
import java.sql.SQLException;

/** A pool that lends connections to the same server as the other connections of the node, and closes all others. */
final class ServerBoundPool extends HikariDataSource {
    private final SessionSource source;

    /** Its sessions have the properties that are set on the pool. */
    ServerBoundPool(DatabaseSettings settings) {
        source = new SessionSource(settings, this::getDataSourceProperties);
        setDataSource(source);
    }

    @Override
    public Connection getConnection() throws SQLException {
        // Each connection that is closed makes room for a new one, which leads to where the address leads now.
        for (int tries = 0; tries <= getMaximumPoolSize(); tries++) {
            Connection connection = super.getConnection();
            if (belongs(connection)) {
                return connection;
            }
            evictConnection(connection);
        }
        throw new SQLException("the pool " + getPoolName() + " has no connection to the newest primary", "08006");
    }

    private boolean belongs(Connection connection) throws SQLException {
        try {
            return source.belongs(connection);
        } catch (SQLException e) {
            evictConnection(connection);
            throw e;
        }
    }
}
