package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The address of the database and the identity of the node. Every session has the process's incarnation in its
 * application name, so that a successor can end exactly the sessions of the process that it replaces.
 *
 * @param servers shared by all connections of the process
 */
public record DatabaseSettings(
        String url,
        String user,
        String password,
        SchemaName schema,
        String node,
        UUID incarnation,
        ServerHistory servers) {
    /** The prefix of every session's application name. */
    public static final String APPLICATION = "twinbell";

    public static final String KEEPALIVE_IDLE_SECONDS = "1";

    private static final int CONNECT_SECONDS = 2;
    /**
     * The limit for a connection to one host, if the URL names several. A vanished host costs this time, and one more
     * second when every host is checked.
     */
    private static final int CONNECT_SECONDS_OF_MANY = 1;

    private static final int SOONER_THAN_CLIENT_MILLIS = 200;
    private static final int MIGRATION_SECONDS = 3600;

    private static final String OF_A_LIVING_HOST = "-c tcp_keepalives_idle=" + KEEPALIVE_IDLE_SECONDS
            + " -c tcp_keepalives_interval=1 -c tcp_keepalives_count=2 -c tcp_user_timeout=2000";

    /** The settings by which each session limits its statements. */
    public static final List<String> BOUNDED_SETTINGS = List.of(
            "statement_timeout",
            "lock_timeout",
            "idle_in_transaction_session_timeout",
            "tcp_keepalives_idle",
            "tcp_keepalives_interval",
            "tcp_keepalives_count",
            "tcp_user_timeout",
            "synchronous_commit");

    private static final String BOUNDED =
            OF_A_LIVING_HOST + " -c idle_in_transaction_session_timeout=5000 -c lock_timeout=2500";

    /**
     * For the node's own sessions: none may hold a lock for long, whether its process hangs, its host is lost, or it
     * waits.
     */
    public static final String SESSION_OPTIONS = BOUNDED + SessionSettings.OF_NODE;

    /** For sessions that run an application's handlers. Each transaction sets its own limits. */
    public static final String HANDLER_OPTIONS = BOUNDED + SessionSettings.OF_HANDLERS;

    /** For sessions that run the statements of SQL tasks. Each transaction sets its own limits. */
    public static final String TASK_OPTIONS = BOUNDED + SessionSettings.OF_TASKS;

    /**
     * For sessions that find rows by key and last for weeks. No statement is planned twice, so a plan made while the
     * tables are small must suit large ones. A plan made for an empty table would read the whole table.
     */
    static final String BY_KEY_OPTIONS =
            " -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c enable_material=off"
                    + " -c plan_cache_mode=force_generic_plan -c jit=off";

    /**
     * The statement timeout for a client that waits this long for an answer. The server cancels the statement slightly
     * sooner and reports that, because a client without an answer cannot tell a slow statement from a lost server.
     */
    public static String statementTimeout(int seconds) {
        return " -c statement_timeout=" + (seconds * 1000 - SOONER_THAN_CLIENT_MILLIS) + "ms";
    }

    /** For a process that has not connected yet, with the usual schema. */
    public DatabaseSettings(String url, String user, String password, String node, UUID incarnation) {
        this(url, user, password, SchemaName.DEFAULT, node, incarnation, new ServerHistory());
    }

    /** The incarnation precedes the node's name, because PostgreSQL truncates application names to 63 bytes. */
    public String applicationName(String purpose) {
        String name = applicationPrefix(incarnation) + purpose + "/" + node;
        return name.length() <= 63 ? name : name.substring(0, 63);
    }

    public static String applicationPrefix(UUID incarnation) {
        return APPLICATION + "/" + incarnation.toString().substring(0, 13) + "/";
    }

    /**
     * A data source for migrations. A migration takes longer on large tables, and the session that holds the migration
     * lock is idle in its transaction meanwhile, so the limits of other sessions do not apply. After an hour without an
     * answer the connection fails, and the migration is tried again.
     */
    public DataSource forMigrations() {
        Properties properties = common(
                "migrate",
                OF_A_LIVING_HOST + SessionSettings.OF_NODE
                        + " -c idle_in_transaction_session_timeout=0 -c statement_timeout=0 -c lock_timeout=0");
        properties.setProperty("socketTimeout", Integer.toString(MIGRATION_SECONDS));
        addLogin(properties);
        return new PreparedSource(this, properties);
    }

    /** A data source for statements that do not name the schema, on an unpooled connection with the server's settings. */
    public PGSimpleDataSource dataSource(String purpose) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        configure(source, purpose);
        return source;
    }

    private void configure(PGSimpleDataSource source, String purpose) {
        source.setURL(driverUrl());
        source.setUser(user);
        Properties passwords = new Properties();
        new DatabaseUrl(url).addPasswords(passwords);
        source.setPassword(passwords.getProperty("password", password));
        source.setSslPassword(passwords.getProperty("sslpassword"));
        source.setApplicationName(applicationName(purpose));
        source.setConnectTimeout(connectSeconds());
    }

    private int connectSeconds() {
        return new DatabaseUrl(url).hosts().size() > 1 ? CONNECT_SECONDS_OF_MANY : CONNECT_SECONDS;
    }

    /** The URL for the driver: without passwords, and without parameters that this class sets itself. */
    public String driverUrl() {
        return new DatabaseUrl(url).forDriver();
    }

    /** The URL for messages: without passwords. */
    public String maskedUrl() {
        return DatabaseUrl.masked(url);
    }

    /** The driver properties that a session of any kind and role needs in addition to {@link #driverUrl}. */
    public Properties common(String purpose, String options) {
        Properties properties = new Properties();
        new DatabaseUrl(url).addPasswords(properties);
        properties.setProperty("ApplicationName", applicationName(purpose));
        properties.setProperty("connectTimeout", Integer.toString(connectSeconds()));
        // The server must notice within seconds that this host is lost; otherwise its locks would outlive it.
        String all = options(options);
        if (!all.isBlank()) {
            properties.setProperty("options", all);
        }
        properties.setProperty("tcpKeepAlive", "true");
        return properties;
    }

    private String options(String ofNode) {
        return new DatabaseUrl(url).options(ofNode);
    }

    /**
     * Driver properties of a session. The server cancels a statement when the client stops waiting: otherwise the
     * statement would continue without a reader, in parallel with the next try.
     *
     * @param options for this session only, added to those of every session
     */
    Properties properties(String purpose, int socketTimeoutSeconds, String options) {
        Properties properties = common(purpose, SESSION_OPTIONS + statementTimeout(socketTimeoutSeconds) + options);
        addLogin(properties);
        properties.setProperty("loginTimeout", "3");
        properties.setProperty("socketTimeout", Integer.toString(socketTimeoutSeconds));
        return properties;
    }

    private void addLogin(Properties properties) {
        properties.setProperty("user", user);
        if (password != null && !properties.containsKey("password")) {
            properties.setProperty("password", password);
        }
    }

    /** Omits the password, because records are written to logs and errors. */
    @Override
    public String toString() {
        return node + " at " + DatabaseUrl.masked(url) + " as " + user;
    }

    /** A source whose sessions begin with the node's settings, and have its login. */
    private static final class PreparedSource extends PGSimpleDataSource {
        private static final long serialVersionUID = 1L;

        private final transient DatabaseSettings settings;
        private final transient Properties properties;

        PreparedSource(DatabaseSettings settings, Properties properties) {
            this.settings = settings;
            this.properties = properties;
            setURL(settings.driverUrl());
        }

        @Override
        public Connection getConnection() throws SQLException {
            StartupOptions options = settings.servers().options();
            Connection connection = options.connect(settings.driverUrl(), properties);
            try {
                options.begin(connection, settings, properties);
                return settings.schema().on(connection);
            } catch (SQLException | RuntimeException | Error e) {
                connection.close();
                throw e;
            }
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            throw new SQLFeatureNotSupportedException("migrations use the login of the node");
        }
    }
}
