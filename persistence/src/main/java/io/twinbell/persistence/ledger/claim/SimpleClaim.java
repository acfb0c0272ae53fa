package io.twinbell.persistence.ledger.claim;

import io.twinbell.persistence.database.CommitBarrier;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import io.twinbell.persistence.ledger.ClaimColumns;
import io.twinbell.persistence.ledger.ColumnArrays;
import io.twinbell.persistence.ledger.ExecutionState;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims ordinary slots: to be run, one per row, of tasks without a maximum of runs. Nearly all slots are ordinary.
 * This statement takes four fifths of the time of {@link GeneralClaim}, because it does not expect a slot to be in the
 * ledger already. If one is, the whole statement fails and changes nothing.
 */
final class SimpleClaim {
    private static final Logger LOG = LoggerFactory.getLogger(SimpleClaim.class);

    /**
     * Locks rows in the order of the arrays, which is id order, and skips a row that another transaction holds. It also
     * skips a slot that already counts as claimed; {@link GeneralClaim} explains those. Long.MAX_VALUE in the array
     * stands for "none"; instant() of it is null. The answer names tasks only if some were skipped.
     */
    private static final String CLAIM = "with " + EpochGuard.OF_THE_OWNER + """
            , locked as materialized (
              select s.task_id, s.next_fire_time as fire, t.app, t.name, t.definition_id, w.next,
                     w.finished = 1 as is_finished
              from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
                  as w(task_id, version, fire, next, finished)
                join twinbell.task_state s on s.task_id = any(array[w.task_id])
                join twinbell.task t on t.id = any(array[w.task_id])
              where exists (select 1 from authority)
                and s.version = w.version and s.state || '' = 'ACTIVE' and s.next_fire_time = twinbell.instant(w.fire)
                and s.next_fire_time is distinct from s.previous_fire_time
              for update of s skip locked
            ), entered as (
              insert into twinbell.execution (task_id, fire_time, app, name, state, epoch, node, batch, claimed_at,
                                              definition_id)
              select task_id, fire, app, name, 'CLAIMED', ?, ?, ?, clock_timestamp(), definition_id from locked
            ), advanced as (
              update twinbell.task_state s
              set next_fire_time = twinbell.instant(nullif(l.next, 9223372036854775807)), previous_fire_time = l.fire,
                  runs = s.runs + 1, off_schedule = false,
                  state = case when l.is_finished then 'FINISHED' else s.state end,
                  finished_at = case when l.is_finished then clock_timestamp() end
              from locked l where s.task_id = any(array[l.task_id])
            )
            select (select count(*) from authority),
                   case when count(*) < ? then coalesce(array_agg(task_id), '{}') end from locked""";

    private SimpleClaim() {}

    static boolean isPlain(DecidedSlot claim) {
        return claim.entry().state() == ExecutionState.CLAIMED
                && claim.entry().slots() == 1
                && claim.entry().reason() == null
                && claim.maxRuns() == DecidedSlot.UNLIMITED;
    }

    /**
     * Claims the slots. The outcome does not contain those that were skipped.
     *
     * @return null if nothing was changed, because a slot is in the ledger already
     */
    static ClaimOutcome claim(Connection c, Epoch epoch, long batch, List<DecidedSlot> claims) throws SQLException {
        List<DecidedSlot> ordered = claims.stream()
                .sorted(Comparator.comparingLong(DecidedSlot::taskId))
                .toList();
        try (PreparedStatement statement = c.prepareStatement(CLAIM)) {
            int next = EpochGuard.bind(statement, 1, epoch);
            next = new ColumnArrays<>(statement, next, ordered)
                    .longs(DecidedSlot::taskId)
                    .longs(DecidedSlot::version)
                    .longs(DecidedSlot::expectedMillis)
                    .longs(DecidedSlot::nextMillis)
                    .longs(claim -> claim.finished() ? 1 : 0)
                    .next();
            next = ClaimColumns.bind(statement, next, epoch, batch);
            statement.setInt(next, ordered.size());
            return outcome(statement, ordered);
        } catch (SQLException e) {
            if (!ClaimColumns.isDuplicateKey(e)) {
                throw e;
            }
            LOG.debug("at least one of {} slots is already in the ledger: claiming them one by one", claims.size());
            return null;
        }
    }

    /**
     * Reads the answer of a claim statement: whether the epoch was current, and the claimed tasks if some were skipped.
     */
    static ClaimOutcome outcome(PreparedStatement statement, List<DecidedSlot> claims) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            CommitBarrier.requireConfirmed(statement);
            row.next();
            if (row.getLong(1) == 0) {
                return ClaimOutcome.FENCED;
            }
            Array some = row.getArray(2);
            Set<Long> claimed = some == null
                    ? claims.stream().map(DecidedSlot::taskId).collect(Collectors.toSet())
                    : Set.of((Long[]) some.getArray());
            return new ClaimOutcome(true, claimed, claimed, Set.of());
        }
    }
}
