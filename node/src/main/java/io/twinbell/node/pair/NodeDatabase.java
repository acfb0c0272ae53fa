package io.twinbell.node.pair;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.persistence.database.BoundedErrors;
import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.ledger.CompletingTransactions;
import io.twinbell.persistence.ledger.LedgerJournal;
import io.twinbell.persistence.ledger.SqlStatements;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Every way of this node to the database. Claims, what is read ahead of them, outcomes, the epoch, the start check, the
 * listener, the clock, the node's lock and the master's have a connection each; only the API, and work in transactions, use pools.
 */
public final class NodeDatabase implements AutoCloseable {
    private static final int POOL_SIZE = 6;
    private static final String SQL_TASKS = "sql";
    private static final int SECONDS = 3;
    /** Dropping the files of a day may take a while, and nobody waits for it. */
    private static final int HOUSEKEEPING_SECONDS = 30;

    private static final int API_SECONDS = 30;

    private final DatabaseSettings settings;
    private final HikariDataSource pool;
    private final HikariDataSource transactions;
    private final HikariDataSource sqlTasks;
    private final DedicatedConnection claims;
    private final DedicatedConnection readAhead;
    private final DedicatedConnection outcomes;
    private final DedicatedConnection epoch;
    private final DedicatedConnection gate;
    private final DedicatedConnection listener;
    private final DedicatedConnection pulse;
    private final DedicatedConnection nodeLock;
    private final DedicatedConnection cluster;
    private final DedicatedConnection masterLock;
    private final DedicatedConnection takeover;
    private final DedicatedConnection housekeeping;
    private final LedgerJournal journal;

    /**
     * @param transactionsAtOnce how many handlers may work in the transaction that completes their execution
     * @param ofSqlTasks as whom their statements log in; null if there are none
     */
    public NodeDatabase(DatabaseSettings settings, int transactionsAtOnce, NodeConfig.Login ofSqlTasks) {
        this.settings = settings;
        pool = new ServerBoundPool(settings);
        transactions = new ServerBoundPool(settings);
        sqlTasks = new ServerBoundPool(settings);
        claims = DedicatedConnection.byKey(settings, "claim", SECONDS);
        readAhead = DedicatedConnection.byKey(settings, "read-ahead", SECONDS);
        outcomes = DedicatedConnection.byKey(settings, "record", SECONDS);
        epoch = DedicatedConnection.byKey(settings, "epoch", SECONDS);
        gate = dedicated("gate", SECONDS);
        listener = dedicated("listen", SECONDS);
        pulse = dedicated("pulse", 2);
        nodeLock = dedicated("node-lock", SECONDS);
        cluster = DedicatedConnection.checkedBeforeUse(settings, "cluster", SECONDS);
        masterLock = dedicated("master-lock", 2);
        takeover = dedicated("takeover", SECONDS);
        housekeeping = dedicated("housekeeping", HOUSEKEEPING_SECONDS);
        journal = new LedgerJournal(settings.servers(), Ticker.SYSTEM);
        Stream.of(claims, outcomes, gate, epoch).forEach(connection -> connection.onArrival(journal::arrived));
        String bounded = DatabaseSettings.statementTimeout(API_SECONDS);
        configure(pool, "api", POOL_SIZE, DatabaseSettings.SESSION_OPTIONS + bounded);
        pool.setMinimumIdle(1);
        pool.addDataSourceProperty("socketTimeout", Integer.toString(API_SECONDS));
        // Some more than may run, for those that a handler does not give back.
        configure(transactions, "transaction", 2 * transactionsAtOnce, DatabaseSettings.HANDLER_OPTIONS + bounded);
        transactions.setMinimumIdle(0);
        transactions.setIdleTimeout(60_000);
        if (ofSqlTasks != null) {
            configure(sqlTasks, SQL_TASKS, 2 * transactionsAtOnce, DatabaseSettings.TASK_OPTIONS + bounded);
            // That of the URL is of the node's own role.
            sqlTasks.getDataSourceProperties().remove("password");
            sqlTasks.setUsername(ofSqlTasks.user());
            sqlTasks.setPassword(ofSqlTasks.password());
            sqlTasks.addDataSourceProperty(SqlStatements.MOST_READ.getKey(), SqlStatements.MOST_READ.getValue());
            sqlTasks.addDataSourceProperty(BoundedErrors.PROPERTY, BoundedErrors.class.getName());
            sqlTasks.setMinimumIdle(0);
            sqlTasks.setIdleTimeout(60_000);
        }
    }

    static NodeDatabase of(NodeConfig config, UUID incarnation) {
        NodeConfig.Database database = config.database();
        return new NodeDatabase(
                new DatabaseSettings(
                        database.url(), database.user(), database.password(), config.nodeId(), incarnation),
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
        // Also: an application may hold a task's row, and an edit of that task is refused then rather than hang.
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

    /** Whether a request of the API, or a call of the program that this node is part of, is in the database just now. */
    public boolean isAsked() {
        HikariPoolMXBean state = pool.getHikariPoolMXBean();
        return state != null && state.getActiveConnections() > 0;
    }

    /** Work in the transactions that complete its executions, also that of sql tasks if there are any. */
    CompletingTransactions completing(DatabaseClock clock) {
        CompletingTransactions.Restricted restricted = sqlTasks.getUsername() == null
                ? null
                : new CompletingTransactions.Restricted(
                        sqlTasks, sqlTasks.getUsername(), settings.applicationName(SQL_TASKS));
        return new CompletingTransactions(transactions, restricted, clock);
    }

    public DedicatedConnection claims() {
        return claims;
    }

    /** Definitions of what is claimed next, while {@link #claims} is in use. */
    public DedicatedConnection readAhead() {
        return readAhead;
    }

    public DedicatedConnection outcomes() {
        return outcomes;
    }

    /** The epoch row, heartbeats, role history and settling: the system worker's. */
    public DedicatedConnection epoch() {
        return epoch;
    }

    public DedicatedConnection gate() {
        return gate;
    }

    public DedicatedConnection listener() {
        return listener;
    }

    public DedicatedConnection pulse() {
        return pulse;
    }

    public DedicatedConnection nodeLock() {
        return nodeLock;
    }

    /** What the API shows of the pair, so that a slow answer there delays no heartbeat. */
    public DedicatedConnection cluster() {
        return cluster;
    }

    /** The master's lock and nothing else, so that it is idle whenever its process may die. */
    public DedicatedConnection masterLock() {
        return masterLock;
    }

    /** What fast takeover reads and records. */
    public DedicatedConnection takeover() {
        return takeover;
    }

    /** What this node has claimed and recorded, for a promoted server that lacks it. */
    LedgerJournal journal() {
        return journal;
    }

    /** Partitions and deletion, on which nothing waits. */
    public DedicatedConnection housekeeping() {
        return housekeeping;
    }

    /** The database does not answer: whoever waits on the system worker's connections waits in vain. */
    void breakOffSystemWork() {
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
        pulse.close();
        listener.close();
        gate.close();
        epoch.close();
        outcomes.close();
        readAhead.close();
        claims.close();
    }
}
