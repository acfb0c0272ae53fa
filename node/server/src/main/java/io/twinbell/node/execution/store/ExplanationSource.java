package io.twinbell.node.execution.store;

import io.twinbell.node.limit.store.StandingPauses;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.Transactions;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import javax.sql.DataSource;

/**
 * Reads the evidence that explains one instant of a task. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public final class ExplanationSource {
    /** A slot that was claimed in a batch and has no row yet counts as one of the schedule. */
    private static final String BETWEEN = """
            select twinbell.millis(fire_time) as at, origin is null as is_planned from twinbell.execution
            where task_id = ? and fire_time >= twinbell.instant(?) and fire_time < twinbell.instant(?)
            union
            select b.at, true from (
              select c.fire_times[array_position(c.task_ids, ?)] as at from twinbell.claim_batch c where ? = any(c.task_ids)) b
            where b.at >= ? and b.at < ?
              and not exists (select 1 from twinbell.execution e where e.task_id = ? and e.fire_time = twinbell.instant(b.at))
            order by at limit ?""";

    /**
     * A row that stands for several slots may begin long before the instant that it covers. Between the two are only
     * rows of runs that were requested. The limit bounds the time for a task that has no such row: otherwise all of
     * its rows would be read.
     */
    private static final String COVERING = """
            select twinbell.millis(fire_time) from (
              select fire_time, until_fire_time from twinbell.execution
              where task_id = ? and fire_time <= twinbell.instant(?)
              order by fire_time desc limit 10000) as before_it
            where coalesce(until_fire_time, fire_time) >= twinbell.instant(?)
            order by fire_time desc limit 1""";

    private static final String UNENTERED = """
            select app, name, state, reason, twinbell.millis(fire_time), twinbell.millis(until_fire_time), slots
            from twinbell.passed_slots
            where task_id = ? and fire_time <= twinbell.instant(?) and until_fire_time >= twinbell.instant(?)
            union all
            select app, name, 'SKIPPED', ?, ?, ?, 1 from twinbell.leap
            where task_id = ? and after_time < twinbell.instant(?) and until_time > twinbell.instant(?)
            limit 1""";

    private static final String GAP = """
            select twinbell.millis(from_time), twinbell.millis(until_time), before_epoch, after_epoch
            from twinbell.heartbeat_gap
            where until_time >= twinbell.instant(?) and from_time <= twinbell.instant(?) order by until_time limit 1""";

    private static final String EARLIER_DEFINITION = """
            select twinbell.audit_value(d.content)::text from twinbell.execution e join twinbell.definition d on d.id = e.definition_id
            where e.task_id = ? and e.fire_time = twinbell.instant(?)
              and not exists (select from twinbell.task t join twinbell.definition n on n.id = t.definition_id
                              where t.id = e.task_id and n.content = d.content)""";

    private final Transactions transactions;
    private final StandingPauses pauses;
    private final String movedReason;

    /** @param movedReason the reason of slots that were skipped because the next fire time was moved past them */
    public ExplanationSource(DataSource pool, String movedReason) {
        transactions = new Transactions(pool);
        pauses = new StandingPauses(pool);
        this.movedReason = movedReason;
    }

    /**
     * A slot of the ledger.
     *
     * @param isPlanned whether it is one of the schedule, and no run by hand or by another execution
     */
    public record SlotEntry(long fireMillis, boolean isPlanned) {}

    /** A span in which no master sent a heartbeat, with the epochs before and after. */
    public record HeartbeatGap(long fromMillis, long untilMillis, long beforeEpoch, long afterEpoch) {}

    /**
     * The slots of a task in the ledger whose rows have a fire time in the span, in the order of these.
     *
     * @param untilMillis exclusive
     */
    public List<SlotEntry> between(long taskId, long fromMillis, long untilMillis, int limit) {
        return transactions.run("look for the rows of an instant", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(BETWEEN)) {
                bind(statement, taskId, fromMillis, untilMillis, taskId, taskId, fromMillis, untilMillis, taskId, (long)
                        limit);
                return Rows.all(statement, row -> new SlotEntry(row.getLong(1), row.getBoolean(2)));
            }
        });
    }

    /**
     * The slot whose row accounts for an instant: that of the instant, otherwise one that stands for several slots. Of
     * these, only a row among the task's latest 10,000 before the instant is found.
     */
    public Optional<Slot> covering(long taskId, long millis) {
        return transactions.run("look for the row of an instant", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(COVERING)) {
                bind(statement, taskId, millis, millis);
                return Rows.first(statement, row -> new Slot(taskId, row.getLong(1)));
            }
        });
    }

    /**
     * The row that the master will enter for a slot that a person skipped: by a resume, by a removal, or by moving the
     * next fire time. It says SKIPPED or MISSED and why.
     */
    public Optional<Execution> unentered(long taskId, long fireMillis) {
        return transactions.run("look for a row that is not entered yet", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(UNENTERED)) {
                bind(
                        statement,
                        taskId,
                        fireMillis,
                        fireMillis,
                        movedReason,
                        fireMillis,
                        fireMillis,
                        taskId,
                        fireMillis,
                        fireMillis);
                return Rows.first(statement, row -> unentered(taskId, row));
            }
        });
    }

    private static Execution unentered(long taskId, ResultSet row) throws SQLException {
        long slots = row.getLong(7);
        OptionalLong none = OptionalLong.empty();
        return new Execution(
                new Execution.Slots(taskId, row.getLong(5), slots > 1 ? OptionalLong.of(row.getLong(6)) : none, slots),
                row.getString(1),
                row.getString(2),
                ExecutionState.valueOf(row.getString(3)),
                null,
                new Execution.LatestClaim(1, 0, 0, null, none, null, null),
                new Execution.Times(none, none, none, none),
                new Execution.Outcome(null, null, null, row.getString(4), null),
                null);
    }

    /** JSON of the definition of a claim, as the audit shows values; empty if its task has it still or it is gone. */
    public Optional<String> earlierDefinition(Slot slot) {
        return transactions.run("look for the definition of a run", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(EARLIER_DEFINITION)) {
                bind(statement, slot.taskId(), slot.fireTimeMillis());
                return Rows.first(statement, row -> row.getString(1));
            }
        });
    }

    /** The gap between two heartbeats that covers the instant, if one of more than 10 s is known. */
    public Optional<HeartbeatGap> gap(long millis) {
        return transactions.run("look for an outage", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(GAP)) {
                bind(statement, millis, millis);
                return Rows.first(
                        statement,
                        row -> new HeartbeatGap(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4)));
            }
        });
    }

    /** The pauses of all firing and the standing pauses that covered the instant, if they are still known. */
    public List<Pause> pausesAt(long millis) {
        return pauses.at(millis);
    }

    private static void bind(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
    }
}
