package io.twinbell.node.pair.database;

import com.zaxxer.hikari.HikariDataSource;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.SchemaName;
import io.twinbell.persistence.database.SessionSource;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A connection pool that lends only connections to the same server as the node's other connections, and closes all
 * others.
 */
final class ServerBoundPool extends HikariDataSource {
    private final SessionSource source;
    private final SchemaName schema;

    /** Creates a pool whose sessions have the properties that are set on it. */
    ServerBoundPool(DatabaseSettings settings) {
        source = new SessionSource(settings, this::getDataSourceProperties);
        schema = settings.schema();
        setDataSource(source);
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (isClosed()) {
            // Not a failure of the database: another try cannot succeed.
            throw new IllegalStateException("the node is closed");
        }
        // Each closed connection makes room for a new one, which goes to the server that the address names now.
        for (int tries = 0; tries <= getMaximumPoolSize(); tries++) {
            Connection connection = super.getConnection();
            if (belongs(connection)) {
                return schema.on(connection);
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
