package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;

/** Opens the sessions of a node: each has the node's settings, on a server that the node may use. */
final class Sessions {
    private static final int BEGIN_MILLIS = 3000;

    private final DatabaseSettings settings;

    /** The work on a session before its user gets it. */
    @FunctionalInterface
    interface SessionSetup {
        int generation() throws SQLException;
    }

    /**
     * @param connection as the driver made it
     * @param generation {@link ServerHistory#NOT_ADMITTED} if the server is in recovery
     */
    record Session(Connection connection, int generation) {}

    Sessions(DatabaseSettings settings) {
        this.settings = settings;
    }

    ServerHistory servers() {
        return settings.servers();
    }

    int admit(Connection connection) throws SQLException {
        return settings.servers().admit(settings.schema().on(connection));
    }

    /**
     * Opens a session on the first server of the URL that the driver accepts. If that is a former primary that still
     * accepts writes, the other servers of the URL are tried one by one.
     *
     * @throws SQLException if no server may be used
     */
    Session begin(Properties properties) throws SQLException {
        CompletableFuture<List<HostCheck.Primary>> primaries =
                settings.servers().hosts().begin(settings, properties);
        try {
            return newest(begin(settings.driverUrl(), properties), primaries);
        } catch (ServerHistory.RefusedException refused) {
            return ofAnotherHost(properties, refused);
        }
    }

    /** Returns the session, unless another host of the URL is a newer primary. */
    private Session newest(Session session, CompletableFuture<List<HostCheck.Primary>> primaries) throws SQLException {
        if (session.generation() == ServerHistory.NOT_ADMITTED) {
            return session;
        }
        // Reported only now: the history learns from the session which database system this node uses.
        primaries.join().forEach(primary -> settings.servers().seen(primary.position(), primary.host()));
        if (settings.servers().isCurrent(session.generation())) {
            return session;
        }
        session.connection().close();
        throw new ServerHistory.RefusedException("a newer primary exists at another host of database.url", true);
    }

    /**
     * Limits the wait of the first statements: a session may have no timeout, and a broken network must not block its
     * user.
     */
    static int bounded(Connection connection, SessionSetup sessionSetup) throws SQLException {
        int usual = connection.getNetworkTimeout();
        connection.setNetworkTimeout(Runnable::run, usual == 0 ? BEGIN_MILLIS : Math.min(usual, BEGIN_MILLIS));
        int generation = sessionSetup.generation();
        connection.setNetworkTimeout(Runnable::run, usual);
        return generation;
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
        StartupOptions options = settings.servers().options();
        Connection connection = options.connect(url, properties);
        try {
            int generation = bounded(connection, () -> {
                options.begin(connection, settings, properties);
                return admit(connection);
            });
            return new Session(connection, generation);
        } catch (SQLException | RuntimeException | Error e) {
            connection.close();
            throw e;
        }
    }
}
