package io.twinbell.persistence.ledger;

import java.sql.Connection;
import java.sql.SQLException;

/** With which rights the work of a {@link CompletingTransaction} is done, and how its success is entered with them. */
interface CompletionRights {
    /**
     * What is entered.
     *
     * @param transaction what {@link #begin} returned
     * @param output null if there is none
     */
    record Success(CompletingTransaction.Claimed claimed, String transaction, String output, long endedMicros) {}

    /** Before anything is begun: refuses to run with rights that are more than they should be. */
    void admit() throws SQLException;

    /** Begins the transaction with these limits, at READ COMMITTED whatever the role's default is; returns its number. */
    String begin(Connection open, CompletingTransaction.Limits limits) throws SQLException;

    /** Has checked now what was deferred to the commit: it would come after the guard, or fail it. */
    void settle(Connection open, CompletingTransaction.Limits limits) throws SQLException;

    /** Enters the success; the guard on the epoch is the last thing it does. */
    CompletingTransaction.Result complete(Connection open, Success success) throws SQLException;

    /** After the transaction: leaves nothing behind in the session. */
    void leave(Connection open) throws SQLException;
}
