package io.twinbell.compare;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.stream.LongStream;

/**
 * Measures the upper limit of one connection: claiming and completing rows in batches of a thousand, with two commits
 * per batch.
 */
final class Limit {
    private static final int BATCH = 1000;
    private static final double BILLION = 1e9;

    private Limit() {}

    /** Rows claimed and completed per second. */
    static double perSecond(Databases.NewDatabase database, int rows) throws SQLException {
        database.execute("""
                create table slot (id bigint primary key, due timestamptz not null, epoch bigint)
                  with (fillfactor = 70);
                create index slot_due on slot (due, id);
                insert into slot select n, now() from generate_series(1,\s""" + rows + ") as n");
        database.execute("vacuum analyze slot");
        try (Connection connection = database.connect();
                PreparedStatement claim = connection.prepareStatement(
                        "update slot set epoch = 1 from unnest(?::bigint[]) as given(id) where slot.id = given.id");
                PreparedStatement complete =
                        connection.prepareStatement("delete from slot where id = any(?::bigint[])")) {
            long start = System.nanoTime();
            for (int from = 1; from <= rows; from += BATCH) {
                Object[] ids = LongStream.range(from, Math.min(rows + 1L, from + BATCH))
                        .boxed()
                        .toArray();
                claim.setArray(1, connection.createArrayOf("bigint", ids));
                claim.executeUpdate();
                complete.setArray(1, connection.createArrayOf("bigint", ids));
                complete.executeUpdate();
            }
            return rows * BILLION / (System.nanoTime() - start);
        }
    }
}
