package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;

/** Opens the sessions of a node: each begins with the node's settings, and on a server that the node may use. */
public final class Sessions {
    private final DatabaseSettings settings;

    /** @param generation {@link ServerHistory#NOT_ADMITTED} if the server is in recovery */
    record Session(Connection connection, int generation) {}

    public Sessions(DatabaseSettings settings) {
        this.settings = settings;
    }

    /**
     * Opens one on the first server of the URL that the driver accepts. If that is a former primary that still takes
     * writes, the other servers of the URL are tried one by one.
     *
     * @throws SQLException if there is none that may be used
     */
    public Connection open(Properties properties) throws SQLException {
        return begin(properties).connection();
    }

    Session begin(Properties properties) throws SQLException {
        try {
            return begin(settings.driverUrl(), properties);
        } catch (ServerHistory.RefusedException refused) {
            return ofAnotherHost(properties, refused);
        }
    }

    private Session ofAnotherHost(Properties properties, ServerHistory.RefusedException refused) throws SQLException {
        DatabaseUrl url = new DatabaseUrl(settings.url());
        List<String> hosts = url.hosts();
        for (String host : hosts.size() > 1 ? hosts : List.<String>of()) {
            try {
                Session session = begin(url.ofHost(host), properties);
                if (session.generation() != ServerHistory.NOT_ADMITTED) {
                    return session;
                }
                session.connection().close();
            } catch (SQLException e) {
                refused.addSuppressed(e);
            }
        }
        throw refused;
    }

    private Session begin(String url, Properties properties) throws SQLException {
        Connection connection = DriverManager.getConnection(url, properties);
        try (Statement statement = connection.createStatement()) {
            statement.execute(SessionSettings.AT_BEGIN);
            return new Session(connection, settings.servers().admit(connection));
        } catch (SQLException | RuntimeException | Error e) {
            connection.close();
            throw e;
        }
    }
}
