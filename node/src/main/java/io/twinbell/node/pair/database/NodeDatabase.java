package io.twinbell.node.pair.database;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.handler.store.BoundedErrors;
import io.twinbell.node.handler.store.CompletingTransactions;
import io.twinbell.node.handler.store.SqlStatements;
import io.twinbell.node.journal.LedgerJournal;
import io.twinbell.node.settings.Login;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.SchemaName;
import io.twinbell.persistence.database.SessionSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All database connections of this node. Each of these has a dedicated connection: claims, outcomes, the epoch, the start check, the listener, the health probe, the pair's view, housekeeping, the takeover
 * records, the node's lock and the master's lock. Only the API and work in transactions use pools.
 */
public final class NodeDatabase implements AutoCloseable {
    private static final int POOL_SIZE = 6;
    private static final String SQL_TASKS = "sql";
    private static final Logger LOG = LoggerFactory.getLogger(NodeDatabase.class);
    private static final int SECONDS = 3;
    /** Dropping a day's partitions may take long, and nothing waits for it. */
    private static final int HOUSEKEEPING_SECONDS = 30;

    private static final int API_SECONDS = 30;

    private final DatabaseSettings settings;
    private final HikariDataSource pool;
    private final HikariDataSource transactions;
    private final HikariDataSource sqlTasks;
    private final DedicatedConnection claims;
    private final DedicatedConnection outcomes;
    private final DedicatedConnection epoch;
    private final DedicatedConnection gate;
    private final DedicatedConnection listener;
    private final DedicatedConnection healthProbe;
    private final DedicatedConnection nodeLock;
    private final DedicatedConnection cluster;
    private final DedicatedConnection masterLock;
    private final DedicatedConnection takeover;
    private final DedicatedConnection housekeeping;
    private final LedgerJournal journal;

    /**
     * @param transactionsAtOnce how many handlers may work in the transaction that completes their execution
     * @param ofSqlTasks the login for the statements of sql tasks; null if there are none
     */
    public NodeDatabase(DatabaseSettings settings, int transactionsAtOnce, Login ofSqlTasks) {
        this.settings = settings;
        pool = new ServerBoundPool(settings);
        transactions = new ServerBoundPool(settings);
        sqlTasks = new ServerBoundPool(settings);
        claims = DedicatedConnection.byKey(settings, "claim", SECONDS);
        outcomes = DedicatedConnection.byKey(settings, "record", SECONDS);
        epoch = DedicatedConnection.byKey(settings, "epoch", SECONDS);
        gate = dedicated("gate", SECONDS);
        listener = dedicated("listen", SECONDS);
        healthProbe = dedicated("pulse", 2);
        nodeLock = dedicated("node-lock", SECONDS);
        cluster = DedicatedConnection.checkedBeforeUse(settings, "cluster", SECONDS);
        masterLock = dedicated("master-lock", 2);
        takeover = dedicated("takeover", SECONDS);
        housekeeping = dedicated("housekeeping", HOUSEKEEPING_SECONDS);
        journal = new LedgerJournal(settings.servers(), Ticker.SYSTEM);
        Stream.of(claims, outcomes, gate, epoch).forEach(connection -> connection.beforeEachUse(journal::arrived));
        String bounded = DatabaseSettings.statementTimeout(API_SECONDS);
        configure(pool, "api", POOL_SIZE, DatabaseSettings.SESSION_OPTIONS + bounded);
        pool.setMinimumIdle(1);
        pool.addDataSourceProperty("socketTimeout", Integer.toString(API_SECONDS));
        // Twice the limit on running handlers, to allow for connections that a handler does not return.
        configure(transactions, "transaction", 2 * transactionsAtOnce, DatabaseSettings.HANDLER_OPTIONS + bounded);
        transactions.setMinimumIdle(0);
        transactions.setIdleTimeout(60_000);
        if (ofSqlTasks != null) {
            configure(sqlTasks, SQL_TASKS, 2 * transactionsAtOnce, DatabaseSettings.TASK_OPTIONS + bounded);
            // The URL's password belongs to the node's own role.
            sqlTasks.getDataSourceProperties().remove("password");
            sqlTasks.setUsername(ofSqlTasks.user());
            sqlTasks.setPassword(ofSqlTasks.password());
            sqlTasks.addDataSourceProperty(SqlStatements.MOST_READ.getKey(), SqlStatements.MOST_READ.getValue());
            sqlTasks.addDataSourceProperty(BoundedErrors.PROPERTY, BoundedErrors.class.getName());
            sqlTasks.setMinimumIdle(0);
            sqlTasks.setIdleTimeout(60_000);
        }
    }

    public static NodeDatabase of(NodeConfig config, UUID incarnation) {
        return new NodeDatabase(
                config.database().settings(config.nodeId(), incarnation),
                config.handlers().sql().connections(),
                config.handlers().sql().login());
    }

    private void configure(HikariDataSource source, String purpose, int size, String options) {
        source.setPoolName(purpose);
        source.setUsername(settings.user());
        source.setPassword(settings.password());
        source.setMaximumPoolSize(size);
        source.setConnectionTimeout(2000);
        source.setInitializationFailTimeout(-1);
        // The settings also bound lock waits: if an application holds a task's row, an edit of that task is refused
        // instead of hanging.
        source.setDataSourceProperties(settings.common(purpose, options));
    }

    private DedicatedConnection dedicated(String purpose, int seconds) {
        return new DedicatedConnection(settings, purpose, seconds);
    }

    public DatabaseSettings settings() {
        return settings;
    }

    public HikariDataSource pool() {
        return pool;
    }

    /** Whether a request of the API or a call of the embedding application uses the database now. */
    public boolean isAsked() {
        HikariPoolMXBean state = pool.getHikariPoolMXBean();
        return state != null && state.getActiveConnections() > 0;
    }

    /**
     * The transactions that complete executions together with a handler's work, including those of sql tasks if there
     * are any.
     */
    public CompletingTransactions completing(DatabaseClock clock) {
        CompletingTransactions.Restricted restricted = sqlTasks.getUsername() == null
                ? null
                : new CompletingTransactions.Restricted(
                        sqlTasks, sqlTasks.getUsername(), settings.applicationName(SQL_TASKS));
        return new CompletingTransactions(transactions, restricted, clock);
    }

    public DedicatedConnection claims() {
        return claims;
    }

    public DedicatedConnection outcomes() {
        return outcomes;
    }

    /** The system worker's connection: the epoch row, heartbeats, role history and settling. */
    public DedicatedConnection epoch() {
        return epoch;
    }

    public DedicatedConnection gate() {
        return gate;
    }

    public DedicatedConnection listener() {
        return listener;
    }

    public DedicatedConnection healthProbe() {
        return healthProbe;
    }

    public DedicatedConnection nodeLock() {
        return nodeLock;
    }

    /** The API's queries about the pair. A slow answer here delays no heartbeat. */
    public DedicatedConnection cluster() {
        return cluster;
    }

    /** Holds the master's lock and does nothing else, so that it is idle whenever its process may die. */
    public DedicatedConnection masterLock() {
        return masterLock;
    }

    /** The records that fast takeover reads and writes. */
    public DedicatedConnection takeover() {
        return takeover;
    }

    /** This node's latest confirmed claims and outcomes, which a promoted server may lack. */
    public LedgerJournal journal() {
        return journal;
    }

    /** Partitions and deletion; nothing waits for them. */
    public DedicatedConnection housekeeping() {
        return housekeeping;
    }

    /**
     * Opens the connections that joining and the first claims use, unless they are open. One that cannot be opened is tried
     * again at its first use.
     */
    public void openAhead() {
        for (DedicatedConnection connection : List.of(nodeLock, takeover, masterLock, claims, outcomes, gate)) {
            try {
                connection.run(open -> null);
            } catch (DatabaseUnavailableException e) {
                LOG.debug("a connection could not be opened ahead of its use: {}", e.getMessage());
            }
        }
    }

    /**
     * Breaks off the statements on the system worker's connections. Call it when the database does not answer: waiting
     * for them is useless then.
     */
    public void breakOffSystemWork() {
        epoch.breakOff();
        nodeLock.breakOff();
    }

    @Override
    public void close() {
        pool.close();
        transactions.close();
        sqlTasks.close();
        takeover.close();
        masterLock.close();
        cluster.close();
        housekeeping.close();
        nodeLock.close();
        healthProbe.close();
        listener.close();
        gate.close();
        epoch.close();
        outcomes.close();
        claims.close();
    }

    /**
     * A connection pool that lends only connections to the same server as the node's other connections, and closes all
     * others.
     */
    private static final class ServerBoundPool extends HikariDataSource {
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
}
