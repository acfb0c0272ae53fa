package io.twinbell.persistence.ledger;

import io.twinbell.persistence.epoch.Authority;
import io.twinbell.persistence.epoch.Epoch;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Claims slots that have nothing special about them, in a statement that costs PostgreSQL three quarters of the careful
 * one's time: it looks for nobody's lock and for no row that is there already. Where one is, the whole statement fails, has
 * changed nothing, and for a while every claim is made carefully.
 */
final class PlainClaims {
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String DEADLOCK = "40P01";
    private static final String UNIQUE_VIOLATION = "23505";
    /** So that a row that an application holds for minutes costs others 2 ms of each second. */
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    /**
     * Rows are updated in the order of the arrays, which is that of the ids, as by everybody who writes many. The slot that
     * counts as claimed from the beginning is not claimed here; {@link CarefulClaims} says why there is one. The instant() of a
     * missing value is null: Long.MAX_VALUE stands for "none" in the array. The answer names tasks only if some are missing.
     */
    private static final String CLAIM = "with " + Authority.OF_THE_OWNER + """
            , patience as materialized (select set_config('lock_timeout', '2ms', true)),
            advanced as (
              update twinbell.task_state s
              set next_fire_time = twinbell.instant(nullif(w.next, 9223372036854775807)),
                  previous_fire_time = s.next_fire_time, runs = s.runs + 1, off_schedule = false,
                  state = case when w.finished = 1 then 'FINISHED' else s.state end,
                  finished_at = case when w.finished = 1 then clock_timestamp() end
              from patience, unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
                  as w(task_id, version, fire, next, finished), twinbell.task t
              where s.task_id = any(array[w.task_id]) and t.id = any(array[w.task_id])
                and exists (select 1 from authority)
                and s.version = w.version and s.state || '' = 'ACTIVE' and s.next_fire_time = twinbell.instant(w.fire)
                and s.next_fire_time is distinct from s.previous_fire_time
              returning s.task_id, s.previous_fire_time as fire, t.app, t.name
            ), entered as (
              insert into twinbell.execution (task_id, fire_time, app, name, state, epoch, node, batch, claimed_at)
              select task_id, fire, app, name, 'CLAIMED', ?, ?, ?, clock_timestamp() from advanced
            )
            select (select count(*) from authority),
                   case when count(*) < ? then coalesce(array_agg(task_id), '{}') end from advanced""";

    private boolean isPausing;
    private long pausesUntilNanos;

    /** Whether the claims may be made here, and now. */
    boolean take(List<Claim> claims) {
        if (isPausing && System.nanoTime() - pausesUntilNanos < 0) {
            return false;
        }
        isPausing = false;
        return claims.stream().allMatch(PlainClaims::isPlain);
    }

    private static boolean isPlain(Claim claim) {
        return claim.entry().state() == ExecutionState.CLAIMED
                && claim.entry().slots() == 1
                && claim.maxRuns() == Claim.UNLIMITED;
    }

    /**
     * Claims them; those that it could not are not in the answer.
     *
     * @return null if nothing was changed, because something is in the way that a careful claim gets around
     */
    ClaimOutcome claim(Connection c, Epoch epoch, long batch, List<Claim> claims) throws SQLException {
        List<Claim> ordered =
                claims.stream().sorted(Comparator.comparingLong(Claim::taskId)).toList();
        try (PreparedStatement statement = c.prepareStatement(CLAIM)) {
            int next = Authority.bind(statement, 1, epoch);
            statement.setArray(next++, Rows.longs(c, ordered, Claim::taskId));
            statement.setArray(next++, Rows.longs(c, ordered, Claim::version));
            statement.setArray(next++, Rows.longs(c, ordered, Claim::expectedMillis));
            statement.setArray(next++, Rows.longs(c, ordered, Claim::nextMillis));
            statement.setArray(next++, Rows.longs(c, ordered, claim -> claim.finished() ? 1 : 0));
            next = JdbcLedger.bindClaimant(statement, next, epoch, batch);
            statement.setInt(next, ordered.size());
            return outcome(statement, ordered);
        } catch (SQLException e) {
            if (!Set.of(LOCK_NOT_AVAILABLE, DEADLOCK, UNIQUE_VIOLATION).contains(e.getSQLState())) {
                throw e;
            }
            isPausing = true;
            pausesUntilNanos = System.nanoTime() + PAUSE_NANOS;
            return null;
        }
    }

    private static ClaimOutcome outcome(PreparedStatement statement, List<Claim> claims) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            if (row.getLong(1) == 0) {
                return ClaimOutcome.FENCED;
            }
            Array some = row.getArray(2);
            Set<Long> claimed = some == null
                    ? claims.stream().map(Claim::taskId).collect(Collectors.toSet())
                    : new HashSet<>(Arrays.asList((Long[]) some.getArray()));
            return new ClaimOutcome(true, claimed, claimed, Set.of());
        }
    }
}
