package io.twinbell.node.handler.store;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * The database rights that the work of a {@link CompletingTransaction} runs with, and the way its success is recorded
 * with them.
 */
interface CompletionRights {
    /**
     * The success to record.
     *
     * @param transaction the value that {@link #begin} returned
     * @param output null if there is none
     */
    record Success(CompletingTransaction.Claimed claimed, String transaction, String output, long endedMicros) {}

    /** Called before the transaction begins: refuses to run with rights that exceed the permitted ones. */
    void admit() throws SQLException;

    /**
     * Begins the transaction with these limits, at READ COMMITTED whatever the role's default is; returns the
     * transaction's number.
     */
    String begin(Connection open, CompletingTransaction.TimeLimits limits) throws SQLException;

    /** Checks deferred constraints now. At the commit the check would come after the guard, or make the commit fail. */
    void settle(Connection open, CompletingTransaction.TimeLimits limits) throws SQLException;

    /** Records the success. The guard on the epoch is the last statement. */
    CompletingTransaction.Result complete(Connection open, Success success) throws SQLException;

    /** Called after the transaction: removes everything that the work left in the session. */
    void leave(Connection open) throws SQLException;
}
