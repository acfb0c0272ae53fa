package io.twinbell.persistence.ledger;

import io.twinbell.persistence.epoch.Epoch;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Binds the columns that say which claim a row belongs to: epoch, node and batch. */
public final class ClaimColumns {
    private ClaimColumns() {}

    /** Binds the three parameters from {@code index} on; returns the index after them. */
    public static int bind(PreparedStatement statement, int index, Epoch epoch, long batch) throws SQLException {
        statement.setLong(index, epoch.number());
        statement.setString(index + 1, epoch.node());
        statement.setLong(index + 2, batch);
        return index + 3;
    }
}
