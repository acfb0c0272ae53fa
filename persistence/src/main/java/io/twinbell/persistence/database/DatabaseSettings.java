package io.twinbell.persistence.database;

import java.util.Properties;
import java.util.UUID;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Where the database is, and who is calling. Every session carries the caller's incarnation in its application name, so
 * that a successor can end exactly the sessions of the process that it replaces.
 */
public record DatabaseSettings(String url, String user, String password, String node, UUID incarnation) {
    /** What every session's application name begins with. */
    public static final String APPLICATION = "twinbell";

    public static final String KEEPALIVE_IDLE_SECONDS = "1";

    private static final int CONNECT_SECONDS = 2;
    private static final int SOONER_THAN_CLIENT_MILLIS = 200;
    private static final int MIGRATION_SECONDS = 3600;

    private static final String OF_A_LIVING_HOST = "-c tcp_keepalives_idle=" + KEEPALIVE_IDLE_SECONDS
            + " -c tcp_keepalives_interval=1 -c tcp_keepalives_count=2 -c tcp_user_timeout=2000";

    /** For every session: none may hold a lock for long, whether its process hangs, its host is gone or it waits. */
    public static final String SESSION_OPTIONS =
            OF_A_LIVING_HOST + " -c idle_in_transaction_session_timeout=5000 -c lock_timeout=2500";

    /**
     * To be run in every session when it begins: a statement ends with the process that sent it, and not only when it has
     * its lock, or is done. As long as it goes on, a master that was killed would not be proven dead. Not every system
     * can look (PostgreSQL refuses the setting then), so this is no option of the session.
     */
    public static final String ENDS_WITH_ITS_CLIENT = "do $$ begin"
            + " perform set_config('client_connection_check_interval', '50', false);"
            + " exception when others then null; end $$";

    /**
     * For sessions that find their rows by keys and go on for weeks: what is planned while the tables are small must do
     * when they are large, and no statement is planned twice. A plan made on an empty table reads all of it.
     */
    static final String BY_KEY_OPTIONS =
            " -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c enable_material=off"
                    + " -c plan_cache_mode=force_generic_plan -c jit=off";

    /**
     * For a session whose client waits so long for an answer. The server gives up a little sooner and says so: a client that
     * gets no answer cannot tell a slow statement from a server that is gone.
     */
    public static String statementTimeout(int seconds) {
        return " -c statement_timeout=" + (seconds * 1000 - SOONER_THAN_CLIENT_MILLIS) + "ms";
    }

    /** PostgreSQL cuts application names at 63 bytes: the incarnation comes before the node's name. */
    public String applicationName(String purpose) {
        String name = applicationPrefix(incarnation) + purpose + "/" + node;
        return name.length() <= 63 ? name : name.substring(0, 63);
    }

    public static String applicationPrefix(UUID incarnation) {
        return APPLICATION + "/" + incarnation.toString().substring(0, 13) + "/";
    }

    /**
     * For migrations. They take as long as the tables are large, and the session that holds their lock is idle in its
     * transaction meanwhile: no bound of other sessions fits. After an hour without an answer it is tried anew.
     */
    public DataSource forMigrations() {
        PGSimpleDataSource source = dataSource("migrate");
        source.setTcpKeepAlive(true);
        source.setSocketTimeout(MIGRATION_SECONDS);
        source.setOptions(OF_A_LIVING_HOST + " -c idle_in_transaction_session_timeout=0 -c statement_timeout=0");
        return source;
    }

    /** For what needs more than one statement on a connection of its own, and no pool. */
    public PGSimpleDataSource dataSource(String purpose) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(url);
        source.setUser(user);
        source.setPassword(password);
        source.setApplicationName(applicationName(purpose));
        source.setConnectTimeout(CONNECT_SECONDS);
        return source;
    }

    /**
     * The server gives a statement up when the client does: one that takes too long would go on for nobody, and the next
     * try beside it.
     *
     * @param options for this session alone, added to those for every session
     */
    Properties properties(String purpose, int socketTimeoutSeconds, String options) {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        if (password != null) {
            properties.setProperty("password", password);
        }
        properties.setProperty("ApplicationName", applicationName(purpose));
        properties.setProperty("connectTimeout", Integer.toString(CONNECT_SECONDS));
        properties.setProperty("loginTimeout", "3");
        properties.setProperty("socketTimeout", Integer.toString(socketTimeoutSeconds));
        properties.setProperty("tcpKeepAlive", "true");
        // A server must notice within seconds that this host is gone, or its locks would outlive it.
        properties.setProperty("options", SESSION_OPTIONS + statementTimeout(socketTimeoutSeconds) + options);
        return properties;
    }
}
