package io.twinbell.persistence.ledger.claim;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import io.twinbell.persistence.ledger.ClaimColumns;
import io.twinbell.persistence.ledger.ColumnArrays;
import io.twinbell.persistence.ledger.PackedSlots;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Comparator;
import java.util.List;

/**
 * Claims many one-shots in one row of {@code claim_batch}. The ledger row of such a slot is written once, together with
 * the outcome, instead of twice. A single write takes two thirds of the processor time of two, and less than two thirds
 * of the log. Only the last slot of a task is claimed this way, because nothing else of the task waits for it or
 * depends on it.
 */
final class PackedClaim {
    private static final int LISTS_FOR_EACH_COLUMN = 17;

    /**
     * Locks rows in id order and skips a row that another transaction holds. It also skips a slot that counts as
     * claimed or is in the ledger already: {@link GeneralClaim} handles those. The ids ascend, so width_bucket finds
     * the position of an id by binary search, and one walk along the index finds all rows. One lookup per row costs
     * three times as much. For the same reason one query asks the ledger about all slots of one instant, and about each
     * slot only if the ledger has any of that instant.
     */
    private static final String CLAIM = "with " + EpochGuard.OF_THE_OWNER + """
            , locked as materialized (
              select s.task_id, twinbell.millis(s.next_fire_time) as fire from twinbell.task_state s
              where exists (select 1 from authority) and s.task_id = any(?::bigint[])
                and s.version = (?::bigint[])[width_bucket(s.task_id, ?::bigint[])] and s.state || '' = 'ACTIVE'
                and s.next_fire_time = twinbell.instant((?::bigint[])[width_bucket(s.task_id, ?::bigint[])])
                and s.next_fire_time is distinct from s.previous_fire_time
                and ((select ?::bigint is not null and not exists (
                         select 1 from twinbell.execution e
                         where e.task_id = any(?::bigint[]) and e.fire_time = twinbell.instant(?)))
                     or (select 1 from twinbell.execution e where twinbell.same(e.task_id, s.task_id)
                           and twinbell.same(e.fire_time, s.next_fire_time)) is null)
              for update of s skip locked
            ), entered as (
              insert into twinbell.claim_batch (epoch, node, batch, claimed_at, task_ids, fire_times)
              select ?, ?, ?, clock_timestamp(), array_agg(task_id), array_agg(fire) from locked having count(*) > 0
            ), advanced as (
              update twinbell.task_state s
              set next_fire_time = null, previous_fire_time = s.next_fire_time, runs = s.runs + 1, off_schedule = false,
                  state = 'FINISHED', finished_at = clock_timestamp()
              where s.task_id = any(array(select task_id from locked))
            )
            select (select count(*) from authority), case when count(*) < ? then coalesce(array_agg(task_id), '{}') end
            from locked""";

    private PackedClaim() {}

    static boolean isLast(DecidedSlot claim) {
        return SimpleClaim.isPlain(claim) && claim.finished();
    }

    /** Claims the slots. The outcome does not contain those that were skipped. */
    static ClaimOutcome claim(Connection c, Epoch epoch, long batch, List<DecidedSlot> claims, PackedSlots batches)
            throws SQLException {
        List<DecidedSlot> ordered = claims.stream()
                .sorted(Comparator.comparingLong(DecidedSlot::taskId))
                .toList();
        try (PreparedStatement statement = c.prepareStatement(CLAIM)) {
            int next = new ColumnArrays<>(statement, EpochGuard.bind(statement, 1, epoch), ordered)
                    .longs(DecidedSlot::taskId)
                    .longs(DecidedSlot::version)
                    .longs(DecidedSlot::taskId)
                    .longs(DecidedSlot::expectedMillis)
                    .longs(DecidedSlot::taskId)
                    .next();
            Long instant = onlyInstant(c, ordered);
            statement.setObject(next++, instant, Types.BIGINT);
            next = new ColumnArrays<>(statement, next, ordered)
                    .longs(DecidedSlot::taskId)
                    .next();
            statement.setObject(next++, instant, Types.BIGINT);
            next = ClaimColumns.bind(statement, next, epoch, batch);
            statement.setInt(next, ordered.size());
            ClaimOutcome outcome = SimpleClaim.outcome(statement, ordered);
            batches.opened(
                    epoch,
                    batch,
                    ordered.stream()
                            .filter(claim -> outcome.entered().contains(claim.taskId()))
                            .map(DecidedSlot::slot)
                            .toList());
            return outcome;
        }
    }

    /**
     * The fire time that all claims share, or null if they differ. Also null before PostgreSQL 17, which cannot use a
     * list for the second column of an index: the planner might read every ledger row of that instant.
     */
    private static Long onlyInstant(Connection c, List<DecidedSlot> claims) throws SQLException {
        long first = claims.get(0).expectedMillis();
        boolean isOnly = c.getMetaData().getDatabaseMajorVersion() >= LISTS_FOR_EACH_COLUMN
                && claims.stream().allMatch(claim -> claim.expectedMillis() == first);
        return isOnly ? first : null;
    }
}
