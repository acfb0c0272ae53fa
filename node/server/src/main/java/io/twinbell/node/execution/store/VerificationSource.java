package io.twinbell.node.execution.store;

import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.Transactions;
import io.twinbell.persistence.task.TaskRow;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import javax.sql.DataSource;

/** Reads the data that a history is verified against: when each plan took effect, and which node was master when. */
public final class VerificationSource {
    private static final int MOST_OPENINGS = 10_000;

    private static final String STRAYS = """
            select e.task_id, e.app, e.name, count(*), twinbell.millis(min(e.fire_time)) from twinbell.execution e
            where e.fire_time >= twinbell.instant(?) and e.fire_time < twinbell.instant(?)
              and not exists (select 1 from twinbell.task t where t.id = e.task_id and t.app = e.app and t.name = e.name)
              and not exists (select 1 from twinbell.removed_task r
                              where r.task_id = e.task_id and r.app = e.app and r.name = e.name)
            group by e.task_id, e.app, e.name order by e.task_id, e.app, e.name limit 100""";

    private final Transactions transactions;

    /**
     * @param rows the number of such rows
     * @param firstMillis the earliest fire time of these rows
     */
    public record Stray(long taskId, String app, String name, long rows, long firstMillis) {}

    /**
     * The current plan of a task. All times are milliseconds since 1970 UTC.
     *
     * @param version the version of the task that the plan belongs to
     * @param atMillis when the plan was made
     * @param fromMillis the first planned fire time; empty if it is unknown
     */
    public record Planned(long version, long atMillis, OptionalLong fromMillis) {}

    /** The opening of an epoch: from this time on, claims were made under it. */
    public record Opening(long epoch, String node, long atMillis) {}

    public VerificationSource(DataSource pool) {
        transactions = new Transactions(pool);
    }

    /** The current plan of a task; empty if the task does not exist. */
    public Optional<Planned> planned(long taskId) {
        return transactions.run("read a plan", connection -> {
            try (PreparedStatement statement = connection.prepareStatement("""
                    select version, twinbell.millis(planned_at), twinbell.millis(planned_from)
                    from twinbell.task_state where task_id = ?""")) {
                statement.setLong(1, taskId);
                return Rows.first(
                        statement, row -> new Planned(row.getLong(1), row.getLong(2), TaskRow.optional(row, 3)));
            }
        });
    }

    /** The fire time up to which rows may be missing because they were deleted, by kind of deletion. */
    public Map<String, Long> forgottenMillis() {
        return transactions.run("read what was removed", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(
                            "select what, twinbell.millis(until_fire_time) from twinbell.forgotten order by what");
                    ResultSet rows = statement.executeQuery()) {
                Map<String, Long> forgotten = new LinkedHashMap<>();
                while (rows.next()) {
                    forgotten.put(rows.getString(1), rows.getLong(2));
                }
                return forgotten;
            }
        });
    }

    /**
     * Ledger rows in a range of fire times whose task id, app and name match neither an existing nor a removed task.
     *
     * @return the rows of at most 100 task ids
     */
    public List<Stray> strays(long fromMillis, long untilMillis) {
        return transactions.run("find rows without a task", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(STRAYS)) {
                statement.setLong(1, fromMillis);
                statement.setLong(2, untilMillis);
                return Rows.all(
                        statement,
                        row -> new Stray(
                                row.getLong(1), row.getString(2), row.getString(3), row.getLong(4), row.getLong(5)));
            }
        });
    }

    /** The epoch that was open at the given instant, if known, and all later ones, oldest first. */
    public List<Opening> openings(long sinceMillis) {
        return transactions.run("read the epochs", connection -> {
            try (PreparedStatement statement = connection.prepareStatement("""
                    select epoch, node, twinbell.millis(opened_at) from twinbell.epoch_opening
                    where epoch >= coalesce((
                      select max(epoch) from twinbell.epoch_opening where opened_at <= twinbell.instant(?)), 0)
                    order by epoch limit\s""" + MOST_OPENINGS)) {
                statement.setLong(1, sinceMillis);
                return Rows.all(statement, row -> new Opening(row.getLong(1), row.getString(2), row.getLong(3)));
            }
        });
    }
}
