package io.twinbell.node.handler.store;

import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits the work and the outcome of one attempt together, or neither: the work takes effect exactly once, even if a
 * node or the database crashes. The guard on the epoch is the last statement, so long work does not delay a promotion.
 * If the execution was settled meanwhile, the guard finds no claim and everything is rolled back.
 */
public final class CompletingTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(CompletingTransaction.class);

    private final DataSource pool;
    private final CompletionRights rights;
    private final DatabaseClock clock;
    private final Claimed claimed;
    private final TimeLimits limits;
    private Result result;
    private Connection connection;
    private boolean cancelled;

    /** The claim whose outcome is committed. */
    public record Claimed(Epoch epoch, Slot slot, int attempt, long startedMicros) {}

    /**
     * Time limits of the work.
     *
     * @param statement the longest duration of a statement; null for no limit
     * @param idle the longest pause between two statements
     */
    public record TimeLimits(Duration statement, Duration idle) {}

    /** The result of the transaction. */
    public enum Result {
        COMMITTED,
        /** Rolled back: this epoch may no longer write. */
        SUPERSEDED,
        /** Rolled back: the execution was settled, or had ended, before the work ended. */
        ENDED_BEFORE
    }

    /** @param pool its sessions have the rights {@code rights} */
    CompletingTransaction(
            DataSource pool, CompletionRights rights, DatabaseClock clock, Claimed claimed, TimeLimits limits) {
        this.pool = pool;
        this.rights = rights;
        this.clock = clock;
        this.claimed = claimed;
        this.limits = limits;
    }

    /**
     * Runs the work and commits it as SUCCEEDED, or rolls it back.
     *
     * @throws Exception the exception of the work, or a {@link SQLException}. If the commit itself failed, only the
     *     ledger knows whether it took effect: an outcome recorded later changes nothing if this one was committed
     */
    public Result run(TransactionWork work) throws Exception {
        rights.admit();
        try (Connection open = pool.getConnection()) {
            take(open);
            try {
                open.setAutoCommit(false);
                return inTransaction(open, work);
            } catch (Throwable e) {
                rollBack(open);
                throw e;
            } finally {
                giveBack(open);
            }
        }
    }

    private Result inTransaction(Connection open, TransactionWork work) throws Exception {
        String began = rights.begin(open, limits);
        WorkTransaction.run(open, work, output -> complete(open, began, output));
        return result;
    }

    private boolean complete(Connection open, String began, String output) throws SQLException {
        rights.settle(open, limits);
        result = rights.complete(open, new CompletionRights.Success(claimed, began, output, clock.nowMicros()));
        if (result == Result.COMMITTED) {
            open.commit();
            return true;
        }
        open.rollback();
        return false;
    }

    private synchronized void take(Connection open) throws SQLException {
        if (cancelled) {
            throw new SQLException("cancelled before the start");
        }
        connection = open;
    }

    /**
     * Returns the connection to the pool. After a cancel request the connection is closed instead, because the request
     * may still be on its way and would hit the connection's next user.
     */
    private synchronized void giveBack(Connection open) throws SQLException {
        connection = null;
        if (cancelled) {
            open.abort(Runnable::run);
            return;
        }
        try {
            open.setAutoCommit(true);
            rights.leave(open);
        } catch (SQLException e) {
            LOG.debug(
                    "the session of {} cannot be reset, so it is closed",
                    claimed.slot().idempotencyKey(),
                    e);
            open.abort(Runnable::run);
        }
    }

    private void rollBack(Connection open) {
        try {
            open.rollback();
        } catch (SQLException e) {
            LOG.debug("rolling back {} failed", claimed.slot().idempotencyKey(), e);
        }
    }

    /**
     * Cancels the statement that runs now, and prevents the work from beginning if it has not. Any thread may call it.
     */
    public synchronized void cancel() {
        cancelled = true;
        try {
            if (connection != null) {
                connection.unwrap(PGConnection.class).cancelQuery();
            }
        } catch (SQLException e) {
            LOG.debug("cancelling {} failed", claimed.slot().idempotencyKey(), e);
        }
    }

    /** Closes the connection under the work, so that nothing of it is committed. Any thread may call it. */
    public synchronized void abort() {
        cancelled = true;
        try {
            if (connection != null) {
                connection.abort(Runnable::run);
            }
        } catch (SQLException e) {
            LOG.debug("aborting {} failed", claimed.slot().idempotencyKey(), e);
        }
    }
}
