package io.twinbell.persistence.ledger;

import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.epoch.Epoch;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt whose work and outcome are committed together, or neither: exactly once, whoever dies when. The guard on the
 * epoch is the last statement, so that long work does not hold up a promotion; it finds the claim gone if somebody else
 * has settled it, and then all is rolled back.
 */
public final class CompletingTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(CompletingTransaction.class);

    private final DataSource pool;
    private final CompletionRights rights;
    private final DatabaseClock clock;
    private final Claimed claimed;
    private final Limits limits;
    private Connection connection;
    private boolean cancelled;

    /** Whose outcome is committed. */
    public record Claimed(Epoch epoch, Slot slot, int attempt, long startedMicros) {}

    /**
     * What the work may do.
     *
     * @param statement how long a statement may take; null for as long as it likes
     * @param idle how long the work may do nothing between two statements
     */
    public record Limits(Duration statement, Duration idle) {}

    /** What became of it. */
    public enum Result {
        COMMITTED,
        /** Rolled back: this epoch may not write any more. */
        SUPERSEDED,
        /** Rolled back: the execution was settled, or ended, before the work did. */
        ENDED_BEFORE
    }

    /** @param pool its sessions have these rights */
    CompletingTransaction(
            DataSource pool, CompletionRights rights, DatabaseClock clock, Claimed claimed, Limits limits) {
        this.pool = pool;
        this.rights = rights;
        this.clock = clock;
        this.claimed = claimed;
        this.limits = limits;
    }

    /**
     * Does the work and commits it as SUCCEEDED, or rolls it back.
     *
     * @throws Exception what the work threw, or a {@link SQLException}; if it came from the commit itself nobody knows
     *     what became of it, but for the ledger: an outcome recorded later changes nothing where this one was committed
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
        String output = work.with(LentConnection.of(open));
        rights.settle(open, limits);
        Result result = rights.complete(open, new CompletionRights.Success(claimed, began, output, clock.nowMicros()));
        if (result == Result.COMMITTED) {
            open.commit();
        } else {
            open.rollback();
        }
        return result;
    }

    private synchronized void take(Connection open) throws SQLException {
        if (cancelled) {
            throw new SQLException("cancelled before it began");
        }
        connection = open;
    }

    /** A request to cancel may still be on its way: it must not meet whoever uses the connection next. */
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
                    "closing the session of {}: it cannot be cleaned",
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

    /** Asks the server to give up the statement that runs now, and lets none begin that has not. From any thread. */
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

    /** Closes the connection under the work, whatever it does: nothing of it is committed then. From any thread. */
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
