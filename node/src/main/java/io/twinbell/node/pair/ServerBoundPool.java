package io.twinbell.node.pair;

import com.zaxxer.hikari.HikariDataSource;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.ServerHistory;
import io.twinbell.persistence.database.SessionSource;
import io.twinbell.persistence.database.Sessions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.postgresql.PGConnection;

/** A pool that lends connections to the same server as the other connections of the node, and closes all others. */
final class ServerBoundPool extends HikariDataSource {
    private final ServerHistory servers;
    /** The generation of each connection that was lent, by the driver's own object. */
    private final Map<PGConnection, Integer> admitted = Collections.synchronizedMap(new WeakHashMap<>());

    /** Its sessions have the properties that are set on the pool. */
    ServerBoundPool(DatabaseSettings settings) {
        servers = settings.servers();
        setDataSource(new SessionSource(new Sessions(settings), this::getDataSourceProperties));
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
            PGConnection physical = connection.unwrap(PGConnection.class);
            Integer known = admitted.get(physical);
            if (known == null || known == ServerHistory.NOT_ADMITTED) {
                known = servers.admit(connection);
                admitted.put(physical, known);
            }
            return known == ServerHistory.NOT_ADMITTED || servers.isCurrent(known);
        } catch (SQLException e) {
            evictConnection(connection);
            throw e;
        }
    }
}
