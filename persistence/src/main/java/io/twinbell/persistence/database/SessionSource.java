package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.Properties;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/** The data source of a pool: opens connections as {@link Sessions} does, and tells whether they may still be used. */
public final class SessionSource extends PGSimpleDataSource {
    private static final long serialVersionUID = 1L;
    private static final String LOGIN_SECONDS = "3";

    private final transient Sessions sessions;
    private final transient Supplier<Properties> properties;
    /** The generation of each connection, by the driver's own object. */
    private final transient Map<PGConnection, Integer> admitted = Collections.synchronizedMap(new WeakHashMap<>());

    /** @param properties the driver properties, read for each session */
    public SessionSource(DatabaseSettings settings, Supplier<Properties> properties) {
        sessions = new Sessions(settings);
        this.properties = properties;
    }

    /** A password among the properties takes precedence over this one. */
    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        Properties all = new Properties();
        all.putAll(properties.get());
        if (user != null) {
            all.put("user", user);
        }
        if (password != null) {
            all.putIfAbsent("password", password);
        }
        all.putIfAbsent("loginTimeout", LOGIN_SECONDS);
        Sessions.Session session = sessions.begin(all);
        admitted.put(session.connection().unwrap(PGConnection.class), session.generation());
        return session.connection();
    }

    /**
     * Whether a connection of this source belongs to the server that the node uses.
     *
     * @param connection as the pool lends it
     * @throws SQLException if its server has left recovery since the connection was opened, and must not be used
     */
    public boolean belongs(Connection connection) throws SQLException {
        PGConnection physical = connection.unwrap(PGConnection.class);
        Integer known = admitted.get(physical);
        if (known == null || known == ServerHistory.NOT_ADMITTED) {
            known = Sessions.bounded(connection, () -> sessions.admit(connection));
            admitted.put(physical, known);
        }
        return known == ServerHistory.NOT_ADMITTED || sessions.servers().isCurrent(known);
    }
}
