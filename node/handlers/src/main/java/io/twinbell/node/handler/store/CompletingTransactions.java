package io.twinbell.node.handler.store;

import io.twinbell.persistence.clock.DatabaseClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** Creates the transactions that complete executions, each on a connection of a separate pool. */
public final class CompletingTransactions {
    /**
     * The rights are checked again after this many runs: they may change while a node runs, and a check takes 1 to 2
     * ms.
     */
    private static final int RUNS_BETWEEN_LOOKS = 100;

    private final DataSource pool;
    private final Restricted restricted;
    private final DatabaseClock clock;
    private final AtomicInteger runsUntilCheck = new AtomicInteger();

    /**
     * Sessions that log in as a role with restricted rights.
     *
     * @param role the name of the role
     * @param applicationName the application name of these sessions
     */
    public record Restricted(DataSource pool, String role, String applicationName) {}

    /** @param restricted null if the node runs no SQL tasks */
    public CompletingTransactions(DataSource pool, Restricted restricted, DatabaseClock clock) {
        this.pool = pool;
        this.restricted = restricted;
        this.clock = clock;
    }

    /** Checkpoints of java handlers, on the connections of their transactions. */
    public Checkpoints checkpoints() {
        return new JdbcCheckpoints(pool);
    }

    /** A transaction for code of the application, with the rights of the node. */
    public CompletingTransaction of(CompletingTransaction.Claimed claimed, CompletingTransaction.TimeLimits limits) {
        return new CompletingTransaction(pool, new OwnerRights(), clock, claimed, limits);
    }

    /** A transaction for the statements of an SQL task, with restricted rights. */
    public CompletingTransaction restricted(
            CompletingTransaction.Claimed claimed, CompletingTransaction.TimeLimits limits) {
        RestrictedRights rights = new RestrictedRights(restricted.applicationName(), this::admit);
        return new CompletingTransaction(restricted.pool(), rights, clock, claimed, limits);
    }

    /**
     * Grants the restricted role the right to complete executions.
     *
     * @throws SQLException if the role must not run statements of tasks, because it has excessive rights or does
     *     not exist
     */
    private void admit() throws SQLException {
        if (runsUntilCheck.getAndDecrement() > 0) {
            return;
        }
        // Concurrent runs wait: they need the grant of this check, or must be refused too.
        synchronized (runsUntilCheck) {
            if (runsUntilCheck.get() <= 0) {
                check();
                // Not after a failed check, so that the next run checks again.
                runsUntilCheck.set(RUNS_BETWEEN_LOOKS - 1);
            }
        }
    }

    private void check() throws SQLException {
        String problem;
        try (Connection open = pool.getConnection();
                PreparedStatement statement = open.prepareStatement("select twinbell.admit_sql_role(?::name)")) {
            statement.setString(1, restricted.role());
            problem = OwnerRights.first(statement);
        }
        if (problem != null) {
            throw new SQLException("handlers.sql.user cannot be used: " + problem);
        }
    }
}
