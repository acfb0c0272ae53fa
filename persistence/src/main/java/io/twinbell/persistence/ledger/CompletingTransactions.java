package io.twinbell.persistence.ledger;

import io.twinbell.persistence.database.DatabaseClock;
import javax.sql.DataSource;

/** Transactions that complete executions, each on a connection of a pool of their own. */
public final class CompletingTransactions {
    private final DataSource pool;
    private final DatabaseClock clock;

    public CompletingTransactions(DataSource pool, DatabaseClock clock) {
        this.pool = pool;
        this.clock = clock;
    }

    public CompletingTransaction of(CompletingTransaction.Claimed claimed, CompletingTransaction.Limits limits) {
        return new CompletingTransaction(pool, clock, claimed, limits);
    }
}
