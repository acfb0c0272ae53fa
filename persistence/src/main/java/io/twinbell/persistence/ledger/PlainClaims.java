package io.twinbell.persistence.ledger;

import io.twinbell.persistence.database.CommitBarrier;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
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
 * Claims slots that have nothing special about them: to be run, one a row, of tasks that may run as often as they like.
 * Nearly all are, and this statement costs PostgreSQL four fifths of the careful one's time, because it does not expect a
 * slot in the ledger already. Where one is, all of it fails and has changed nothing.
 */
final class PlainClaims {
    private static final Logger LOG = LoggerFactory.getLogger(PlainClaims.class);

    /**
     * Rows are locked in the order of the arrays, which is that of the ids, and one that somebody holds is passed over. So
     * is one whose slot counts as claimed from the beginning; {@link CarefulClaims} says why there are such. The instant()
     * of a missing value is null: Long.MAX_VALUE stands for "none" in the array. The answer names tasks only if some were
     * passed over.
     */
    private static final String CLAIM = "with " + EpochGuard.OF_THE_OWNER + """
            , locked as materialized (
              select s.task_id, s.next_fire_time as fire, t.app, t.name, w.next, w.finished = 1 as is_finished
              from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
                  as w(task_id, version, fire, next, finished)
                join twinbell.task_state s on s.task_id = any(array[w.task_id])
                join twinbell.task t on t.id = any(array[w.task_id])
              where exists (select 1 from authority)
                and s.version = w.version and s.state || '' = 'ACTIVE' and s.next_fire_time = twinbell.instant(w.fire)
                and s.next_fire_time is distinct from s.previous_fire_time
              for update of s skip locked
            ), entered as (
              insert into twinbell.execution (task_id, fire_time, app, name, state, epoch, node, batch, claimed_at)
              select task_id, fire, app, name, 'CLAIMED', ?, ?, ?, clock_timestamp() from locked
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

    private PlainClaims() {}

    static boolean isPlain(Claim claim) {
        return claim.entry().state() == ExecutionState.CLAIMED
                && claim.entry().slots() == 1
                && claim.entry().reason() == null
                && claim.maxRuns() == Claim.UNLIMITED;
    }

    /**
     * Claims them; those that were passed over are not in the answer.
     *
     * @return null if nothing was changed, because a slot is in the ledger
     */
    static ClaimOutcome claim(Connection c, Epoch epoch, long batch, List<Claim> claims) throws SQLException {
        List<Claim> ordered =
                claims.stream().sorted(Comparator.comparingLong(Claim::taskId)).toList();
        try (PreparedStatement statement = c.prepareStatement(CLAIM)) {
            int next = EpochGuard.bind(statement, 1, epoch);
            statement.setArray(next++, SqlArrays.longs(c, ordered, Claim::taskId));
            statement.setArray(next++, SqlArrays.longs(c, ordered, Claim::version));
            statement.setArray(next++, SqlArrays.longs(c, ordered, Claim::expectedMillis));
            statement.setArray(next++, SqlArrays.longs(c, ordered, Claim::nextMillis));
            statement.setArray(next++, SqlArrays.longs(c, ordered, claim -> claim.finished() ? 1 : 0));
            next = Claimed.bind(statement, next, epoch, batch);
            statement.setInt(next, ordered.size());
            return outcome(statement, ordered);
        } catch (SQLException e) {
            if (!SqlArrays.isThereAlready(e)) {
                throw e;
            }
            LOG.debug("one of {} slots is in the ledger: they are claimed carefully", claims.size());
            return null;
        }
    }

    /** Of a statement that answers whether it was authorised, and which tasks it claimed if it was not all of them. */
    static ClaimOutcome outcome(PreparedStatement statement, List<Claim> claims) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            CommitBarrier.requireConfirmed(statement);
            row.next();
            if (row.getLong(1) == 0) {
                return ClaimOutcome.FENCED;
            }
            Array some = row.getArray(2);
            Set<Long> claimed = some == null
                    ? claims.stream().map(Claim::taskId).collect(Collectors.toSet())
                    : Set.of((Long[]) some.getArray());
            return new ClaimOutcome(true, claimed, claimed, Set.of());
        }
    }
}
