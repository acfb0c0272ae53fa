package io.twinbell.node.cluster.store;

import io.twinbell.persistence.database.Transactions;
import io.twinbell.persistence.task.TaskRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import javax.sql.DataSource;

/** Stores the results of drills of this pair; the newest {@value #KEPT} are kept. */
public final class DrillResults {
    public static final int KEPT = 200;

    private static final String COLUMNS =
            "id, drill, passed, master, successor, epoch, gap_millis, summary, entered_by, twinbell.millis(entered_at)";
    private static final String INSERT = """
            insert into twinbell.drill_result (drill, passed, master, successor, epoch, gap_millis, summary, entered_by)
            values (?, ?, ?, ?, ?, ?, ?, ?) returning\s""" + COLUMNS;
    private static final String FORGET = """
            delete from twinbell.drill_result
            where id in (select id from twinbell.drill_result order by id desc offset\s""" + KEPT + ")";
    private static final String LIST =
            "select " + COLUMNS + " from twinbell.drill_result where id < ? order by id desc limit ?";

    private final Transactions transactions;

    public DrillResults(DataSource pool) {
        transactions = new Transactions(pool);
    }

    /** @param by the name of the principal that enters it */
    public DrillResult.Stored add(DrillResult result, String by) {
        return transactions.run("store the result of a drill", connection -> {
            DrillResult.Stored stored = insert(connection, result, by);
            try (PreparedStatement statement = connection.prepareStatement(FORGET)) {
                statement.executeUpdate();
            }
            return stored;
        });
    }

    private static DrillResult.Stored insert(Connection connection, DrillResult result, String by) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, result.drill());
            statement.setBoolean(2, result.passed());
            statement.setString(3, result.master());
            statement.setString(4, result.successor());
            statement.setObject(5, boxed(result.epoch()), Types.BIGINT);
            statement.setObject(6, boxed(result.gapMillis()), Types.BIGINT);
            statement.setString(7, result.summary());
            statement.setString(8, by);
            return read(statement).get(0);
        }
    }

    /**
     * Lists results, the newest first.
     *
     * @param before only results with a lower id
     */
    public List<DrillResult.Stored> list(long before, int limit) {
        return transactions.run("read the results of drills", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(LIST)) {
                statement.setLong(1, before);
                statement.setInt(2, limit);
                return read(statement);
            }
        });
    }

    private static List<DrillResult.Stored> read(PreparedStatement statement) throws SQLException {
        List<DrillResult.Stored> results = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                DrillResult result = new DrillResult(
                        row.getString(2),
                        row.getBoolean(3),
                        row.getString(4),
                        row.getString(5),
                        TaskRow.optional(row, 6),
                        TaskRow.optional(row, 7),
                        row.getString(8));
                results.add(new DrillResult.Stored(row.getLong(1), result, row.getString(9), row.getLong(10)));
            }
        }
        return results;
    }

    private static Long boxed(OptionalLong number) {
        return number.isPresent() ? (Long) number.getAsLong() : null;
    }
}
