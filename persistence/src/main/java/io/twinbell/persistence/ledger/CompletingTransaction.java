package io.twinbell.persistence.ledger;

import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.epoch.Epoch;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
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
    private static final String BEGIN = "select pg_current_xact_id()::text, set_config('statement_timeout', ?, true),"
            + " set_config('idle_in_transaction_session_timeout', ?, true), set_config('lock_timeout', '0', true),"
            + " set_config('search_path', 'public', true), set_config('role', ?, true)";
    private static final String FINISH = "select pg_current_xact_id()::text, set_config('role', 'none', true),"
            + " set_config('search_path', '', true), set_config('statement_timeout', '3000', true),"
            + " set_config('lock_timeout', '3000', true)";

    private final DataSource pool;
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
     * @param role the database role that it works as; null for the pool's own user
     */
    public record Limits(Duration statement, Duration idle, String role) {}

    /** What became of it. */
    public enum Result {
        COMMITTED,
        /** Rolled back: this epoch may not write any more. */
        SUPERSEDED,
        /** Rolled back: the execution was settled, or ended, before the work did. */
        ENDED_BEFORE
    }

    public CompletingTransaction(DataSource pool, DatabaseClock clock, Claimed claimed, Limits limits) {
        this.pool = pool;
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
        String began = begin(open);
        String output = work.with(LentConnection.of(open));
        try (Statement statement = open.createStatement()) {
            // What was deferred to the commit would come after the guard, or fail it.
            statement.execute("set constraints all immediate");
        }
        if (!began.equals(finish(open))) {
            throw new SQLException("the handler ended the transaction itself: what it did before is not undone");
        }
        Streaks.succeeded(open, claimed.slot().taskId());
        // Before the guard, which is not to be held while somebody else spreads the same batch.
        OpenBatches.spreadBatchesOf(open, new long[] {claimed.slot().taskId()});
        JdbcRecorder.Written written = JdbcRecorder.update(open, claimed.epoch(), List.of(completion(output)));
        if (!written.isAuthorised() || written.rows() != 1) {
            open.rollback();
            return written.isAuthorised() ? Result.ENDED_BEFORE : Result.SUPERSEDED;
        }
        open.commit();
        return Result.COMMITTED;
    }

    private Completion completion(String output) {
        return new Completion(
                claimed.epoch(),
                claimed.slot(),
                claimed.attempt(),
                ExecutionState.SUCCEEDED,
                new Completion.Run(claimed.startedMicros(), clock.nowMicros()),
                new Completion.Text(output, null, null),
                Completion.NOT_FOLLOWED);
    }

    private String begin(Connection open) throws SQLException {
        try (PreparedStatement statement = open.prepareStatement(BEGIN)) {
            statement.setString(1, limits.statement() == null ? "0" : Long.toString(millis(limits.statement())));
            statement.setString(2, Long.toString(millis(limits.idle())));
            statement.setString(3, limits.role() == null ? "none" : limits.role());
            return first(statement);
        }
    }

    private static String finish(Connection open) throws SQLException {
        try (PreparedStatement statement = open.prepareStatement(FINISH)) {
            return first(statement);
        }
    }

    private static String first(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }

    private static long millis(Duration duration) {
        return Math.max(1, duration.toMillis());
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
        } else {
            open.setAutoCommit(true);
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
