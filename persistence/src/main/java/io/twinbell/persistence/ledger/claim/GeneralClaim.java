package io.twinbell.persistence.ledger.claim;

import io.twinbell.persistence.database.CommitBarrier;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import io.twinbell.persistence.ledger.ClaimColumns;
import io.twinbell.persistence.ledger.ColumnArrays;
import io.twinbell.persistence.ledger.DoubtReasons;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Claims slots of every kind, skipping rows that other transactions hold and slots that are in the ledger already. */
final class GeneralClaim {
    /**
     * Locks rows in id order, so that two writers cannot deadlock, and skips a row that an application holds.
     * Long.MAX_VALUE in the arrays stands for "none"; instant() of it is null. A run is counted when its row is
     * inserted. So a slot that was in the ledger already is not counted, and neither is a slot that counts as claimed
     * because an earlier task of the same name had it. A row that stands for many slots is not inserted if its first
     * slot has a row already: the task continues at the second slot, and the next claim decides on it. The condition on
     * the state is written so that the planner does not use the index of due tasks ({@link DedicatedConnection#byKey}).
     */
    private static final String ENTER = "with " + EpochGuard.OF_THE_OWNER + """
            , wanted as (
              select task_id, version, twinbell.instant(fire) as fire,
                     twinbell.instant(nullif(next, 9223372036854775807)) as next, finished = 1 as finished, max_runs,
                     state, twinbell.instant(until) as until, slots, twinbell.instant(second) as second, reason
              from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[],
                          ?::bigint[], ?::bigint[], ?::bigint[], ?::text[])
                as w(task_id, version, fire, next, finished, max_runs, state, until, slots, second, reason)
            ), locked as materialized (
              select w.*, s.runs, s.previous_fire_time
              from wanted w join twinbell.task_state s on s.task_id = any(array[w.task_id])
              where exists (select 1 from authority)
                and s.version = w.version and s.state || '' = 'ACTIVE' and s.next_fire_time = w.fire
              order by w.task_id for update of s skip locked
            ), entered as (
              insert into twinbell.execution (task_id, fire_time, app, name, state, epoch, node, batch, claimed_at,
                                              definition_id, ended_at, until_fire_time, slots, reason)
              select l.task_id, l.fire, t.app, t.name, l.state, ?, ?, ?, clock_timestamp(), t.definition_id,
                     case when l.state <> 'CLAIMED' then clock_timestamp() end,
                     case when l.slots > 1 then l.until end, l.slots, l.reason
              from locked l join twinbell.task t on t.id = any(array[l.task_id])
              where l.state is not null and l.fire is distinct from l.previous_fire_time
              on conflict do nothing
              returning task_id
            ), looked as materialized (
              select l.*, l.task_id in (select task_id from entered) as is_entered from locked l
            ), counted as (
              select l.*, l.runs + (l.state = 'CLAIMED' and l.is_entered)::int as runs_now,
                     l.slots > 1 and not l.is_entered as is_split
              from looked l
            ), ending as (
              select c.*, not c.is_split and (c.finished or c.runs_now >= c.max_runs) as is_finished from counted c
            ), advanced as (
              update twinbell.task_state s
              set next_fire_time = case when c.is_split then c.second when c.runs_now < c.max_runs then c.next end,
                  previous_fire_time = case when c.state is null then s.previous_fire_time
                                            when c.is_split then c.fire else c.until end,
                  runs = c.runs_now, off_schedule = false,
                  state = case when c.is_finished then 'FINISHED' else s.state end,
                  finished_at = case when c.is_finished then clock_timestamp() end,
                  state_reason = case when c.finished and c.state is null and c.runs_now < c.max_runs then c.reason
                                 else s.state_reason end
              from ending c where s.task_id = any(array[c.task_id])
              returning s.task_id, c.runs_now >= c.max_runs as is_exhausted
            )
            """;

    /** Lists the slots that may have run before, so that people can query them. */
    private static final String NAME_DOUBTS = """
            , named as (
              insert into twinbell.slot_in_doubt (task_id, fire_time, slots, epoch)
              select task_id, fire, slots, ? from looked
              where is_entered and starts_with(reason, ?)
              on conflict (task_id, fire_time) do update set epoch = excluded.epoch, found_at = excluded.found_at
            )
            """;

    private static final String ANSWER = """
            select 0, count(*) from authority
            union all select 1, task_id from advanced
            union all select 2, task_id from entered
            union all select 3, task_id from advanced where is_exhausted""";

    private GeneralClaim() {}

    static ClaimOutcome claim(Connection c, Epoch epoch, long batch, List<DecidedSlot> claims) throws SQLException {
        boolean isAnyInDoubt = claims.stream().map(DecidedSlot::entry).anyMatch(DoubtReasons::isInDoubt);
        try (PreparedStatement statement =
                c.prepareStatement(isAnyInDoubt ? ENTER + NAME_DOUBTS + ANSWER : ENTER + ANSWER)) {
            int next = new ColumnArrays<>(statement, EpochGuard.bind(statement, 1, epoch), claims)
                    .longs(DecidedSlot::taskId)
                    .longs(DecidedSlot::version)
                    .longs(DecidedSlot::expectedMillis)
                    .longs(DecidedSlot::nextMillis)
                    .longs(claim -> claim.finished() ? 1 : 0)
                    .longs(DecidedSlot::maxRuns)
                    .texts(GeneralClaim::entered)
                    .longs(claim -> claim.entry().untilMillis())
                    .longs(claim -> claim.entry().slots())
                    .longs(claim -> claim.entry().secondMillis())
                    .texts(claim -> claim.entry().reason())
                    .next();
            next = ClaimColumns.bind(statement, next, epoch, batch);
            if (isAnyInDoubt) {
                statement.setLong(next, epoch.number());
                statement.setString(next + 1, DoubtReasons.IN_DOUBT);
            }
            return outcome(statement);
        }
    }

    private static String entered(DecidedSlot claim) {
        return claim.entry().state() == null ? null : claim.entry().state().name();
    }

    private static ClaimOutcome outcome(PreparedStatement statement) throws SQLException {
        Set<Long> advanced = new HashSet<>();
        Set<Long> entered = new HashSet<>();
        Set<Long> exhausted = new HashSet<>();
        boolean authorised = false;
        try (ResultSet rows = statement.executeQuery()) {
            CommitBarrier.requireConfirmed(statement);
            while (rows.next()) {
                switch (rows.getInt(1)) {
                    case 0 -> authorised = rows.getLong(2) == 1;
                    case 1 -> advanced.add(rows.getLong(2));
                    case 2 -> entered.add(rows.getLong(2));
                    default -> exhausted.add(rows.getLong(2));
                }
            }
        }
        return authorised ? new ClaimOutcome(true, advanced, entered, exhausted) : ClaimOutcome.FENCED;
    }
}
