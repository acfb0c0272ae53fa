package io.twinbell.persistence.ledger;

import io.twinbell.persistence.database.DatabaseClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** Transactions that complete executions, each on a connection of a pool of their own. */
public final class CompletingTransactions {
    /** Rights change while a node runs, and looking at all of them takes a millisecond or two. */
    private static final int RUNS_BETWEEN_LOOKS = 100;

    private final DataSource pool;
    private final Restricted restricted;
    private final DatabaseClock clock;
    private final AtomicInteger runs = new AtomicInteger();

    /**
     * Sessions that log in as a role with fewer rights.
     *
     * @param role which one
     * @param applicationName what these sessions are known by
     */
    public record Restricted(DataSource pool, String role, String applicationName) {}

    /** @param restricted null if there are no sql tasks */
    public CompletingTransactions(DataSource pool, Restricted restricted, DatabaseClock clock) {
        this.pool = pool;
        this.restricted = restricted;
        this.clock = clock;
    }

    /** For code of the application, with the rights of the node. */
    public CompletingTransaction of(CompletingTransaction.Claimed claimed, CompletingTransaction.Limits limits) {
        return new CompletingTransaction(pool, new OwnerRights(), clock, claimed, limits);
    }

    /** For the statements of an sql task. */
    public CompletingTransaction restricted(
            CompletingTransaction.Claimed claimed, CompletingTransaction.Limits limits) {
        RestrictedRights rights = new RestrictedRights(restricted.applicationName(), this::admit);
        return new CompletingTransaction(restricted.pool(), rights, clock, claimed, limits);
    }

    /**
     * Lets the restricted role complete executions.
     *
     * @throws SQLException if it must not run statements of tasks: it has rights that they must not have, or is not there
     */
    private void admit() throws SQLException {
        int run = runs.getAndIncrement();
        if (run % RUNS_BETWEEN_LOOKS != 0) {
            return;
        }
        String problem;
        try (Connection open = pool.getConnection();
                PreparedStatement statement = open.prepareStatement("select twinbell.admit_sql_role(?::name)")) {
            statement.setString(1, restricted.role());
            problem = OwnerRights.first(statement);
        } catch (SQLException e) {
            runs.set(0);
            throw e;
        }
        if (problem != null) {
            runs.set(0);
            throw new SQLException("handlers.sql.user must not be used: " + problem);
        }
    }
}
