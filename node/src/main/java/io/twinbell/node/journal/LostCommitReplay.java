package io.twinbell.node.journal;

import io.twinbell.node.journal.LedgerJournal.JournalEvent.ClaimEvent;
import io.twinbell.node.journal.LedgerJournal.JournalEvent.OutcomeEvent;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import io.twinbell.persistence.ledger.ClaimColumns;
import io.twinbell.persistence.ledger.ColumnArrays;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.record.JdbcRecorder;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Enters again the claims and outcomes that a promoted server lacks, under their original epoch. Repeating it changes
 * nothing.
 */
final class LostCommitReplay {
    static final int AT_ONCE = 500;
    /** The reason of a row that did not exist. */
    static final String REASON = "entered again: the promoted database lacked it";

    private static final int MOST_NAMED = 10_000;

    private static final String IS_MISSING = """
            select not exists (select 1 from twinbell.execution e
                where twinbell.same(e.task_id, w.task_id) and twinbell.same(e.fire_time, w.fire_time)
                  and (e.attempt > w.attempt or e.attempt = w.attempt
                    and case when w.is_done then e.state not in ('CLAIMED', 'RUNNING') else e.state <> 'PENDING' end))
              and (w.is_done or not twinbell.is_in_batch(w.task_id, w.fire_time))
            from (select ?::bigint as task_id, twinbell.instant(?) as fire_time, ?::int as attempt, ?::boolean as is_done) w""";

    /**
     * If the task has {@code maxRuns}, the run is counted again, because the lost claim counted it. A run that the
     * schedule did not plan keeps its own data, with that of its parent merged in, for its next attempts. The first
     * attempt of a planned slot is in turn only if the slot waited in the queue of its task.
     */
    private static final String ENTER_CLAIMS = "with " + EpochGuard.ALSO_WHILE_DRAINING + """
            , wanted as materialized (
              select w.task_id, twinbell.instant(w.fire) as fire_time, w.app, w.name, w.attempt::int as attempt,
                     twinbell.instant(w.claimed) as claimed_at, w.origin, nullif(w.reruns, 0)::int as reruns,
                     w.in_turn, w.in_turn and w.origin is null and w.reruns = 0 and w.attempt = 1 as queued,
                     w.definition::jsonb -> 'data' as data
              from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::bigint[], ?::bigint[], ?::text[], ?::bigint[],
                  ?::boolean[], ?::text[])
                as w(task_id, fire, app, name, attempt, claimed, origin, reruns, in_turn, definition)
              where exists (select 1 from authority) and not twinbell.is_in_batch(w.task_id, twinbell.instant(w.fire))
            ), taken as (
              update twinbell.execution e
              set state = 'CLAIMED', attempt = w.attempt, epoch = ?, node = ?, batch = null, claimed_at = w.claimed_at,
                  definition_id = null, started_at = null, ended_at = null, output = null, error = null, error_code = null, due_at = null, held_by = null,
                  in_turn = w.in_turn, queued = w.queued, reruns = coalesce(w.reruns, e.reruns)
              from wanted w
              where twinbell.same(e.task_id, w.task_id) and twinbell.same(e.fire_time, w.fire_time)
                and (e.attempt < w.attempt or e.attempt = w.attempt and e.state = 'PENDING')
              returning e.task_id, e.fire_time
            ), entered as (
              insert into twinbell.execution (task_id, fire_time, app, name, origin, reruns, in_turn, queued, data, parent,
                                              state, attempt, epoch, node, claimed_at, reason)
              select w.task_id, w.fire_time, w.app, w.name, w.origin, w.reruns, w.in_turn, w.queued, w.data,
                     case when w.origin = 'CHAINED' then w.data -> 'parent' end, 'CLAIMED', w.attempt, ?, ?, w.claimed_at, ?
              from wanted w
              on conflict do nothing
              returning task_id, fire_time, attempt
            ), counted as (
              update twinbell.task_state s set runs = s.runs + r.runs
              from (select n.task_id, count(*) as runs from entered n where n.attempt = 1 group by n.task_id) r
                join twinbell.task t on t.id = any(array[r.task_id])
                join twinbell.definition d on d.id = any(array[t.definition_id]) and d.content ?? 'maxRuns'
              where s.task_id = any(array[r.task_id])
            )
            select task_id, twinbell.millis(fire_time) from taken
            union all select task_id, twinbell.millis(fire_time) from entered""";

    private static final String UNRECORDED = """
            select e.task_id, twinbell.millis(e.fire_time) from twinbell.execution e,
              unnest(?::bigint[], ?::bigint[], ?::bigint[]) as w(task_id, fire, attempt)
            where twinbell.same(e.task_id, w.task_id) and twinbell.same(e.fire_time, twinbell.instant(w.fire))
              and e.attempt = w.attempt and e.epoch = ? and e.state || '' in ('CLAIMED', 'RUNNING')""";

    private static final String NOTE = "with " + EpochGuard.ALSO_WHILE_DRAINING + """
            insert into twinbell.lost_history (epoch, node, slots, named)
            select ?, ?, ?, ? from authority""";

    private LostCommitReplay() {}

    /** Whether the server lacks the event. An attempt that was given back is never missing. */
    static boolean isMissing(Connection c, LedgerJournal.JournalEvent event) throws SQLException {
        if (event instanceof LedgerJournal.JournalEvent.ReturnEvent) {
            return false;
        }
        try (PreparedStatement statement = c.prepareStatement(IS_MISSING)) {
            statement.setLong(1, event.slot().taskId());
            statement.setLong(2, event.slot().fireTimeMillis());
            statement.setInt(3, event.attempt());
            statement.setBoolean(4, event instanceof OutcomeEvent);
            return Rows.only(statement, row -> row.getBoolean(1));
        }
    }

    /**
     * Enters events of one kind and epoch, each slot once.
     *
     * @return the slots that the server lacked, or whose outcome it lacked; none if the epoch may not write
     */
    static Set<Slot> enter(Connection c, List<LedgerJournal.JournalEvent> some) throws SQLException {
        if (some.get(0) instanceof ClaimEvent) {
            return enterClaims(c, some.stream().map(ClaimEvent.class::cast).toList());
        }
        List<Completion> completions =
                some.stream().map(event -> ((OutcomeEvent) event).completion()).toList();
        Epoch epoch = some.get(0).epoch();
        Set<Slot> unrecorded = unrecorded(c, epoch, completions);
        if (JdbcRecorder.recordAgain(c, epoch, completions)) {
            return unrecorded;
        }
        return Set.of();
    }

    private static Set<Slot> enterClaims(Connection c, List<ClaimEvent> claims) throws SQLException {
        Epoch epoch = claims.get(0).epoch();
        try (PreparedStatement statement = c.prepareStatement(ENTER_CLAIMS)) {
            int next = new ColumnArrays<>(statement, EpochGuard.bind(statement, 1, epoch), claims)
                    .slots(ClaimEvent::slot)
                    .texts(claim -> claim.of().app())
                    .texts(claim -> claim.of().name())
                    .longs(ClaimEvent::attempt)
                    .longs(ClaimEvent::atMillis)
                    .texts(claim -> claim.of().origin().name())
                    .longs(claim -> claim.of().origin().reruns())
                    .booleans(claim -> claim.of().inTurn())
                    .texts(LostCommitReplay::ownDefinition)
                    .next();
            statement.setLong(next++, epoch.number());
            statement.setString(next++, epoch.node());
            statement.setLong(next++, epoch.number());
            statement.setString(next++, epoch.node());
            statement.setString(next, REASON);
            return Rows.set(statement, ClaimColumns::slot);
        }
    }

    /** The definition of a run that may have data of its own; null for a planned slot, which has its task's data. */
    private static String ownDefinition(ClaimEvent claim) {
        return claim.of().origin().name() == null ? null : claim.of().definition();
    }

    private static Set<Slot> unrecorded(Connection c, Epoch epoch, List<Completion> completions) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(UNRECORDED)) {
            int next = new ColumnArrays<>(statement, 1, completions)
                    .slots(Completion::slot)
                    .longs(Completion::attempt)
                    .next();
            statement.setLong(next, epoch.number());
            return Rows.set(statement, ClaimColumns::slot);
        }
    }

    /** Records what was entered again, for people to read. */
    static void note(Connection c, Epoch epoch, Collection<Slot> entered) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(NOTE)) {
            int next = EpochGuard.bind(statement, 1, epoch);
            statement.setLong(next++, epoch.number());
            statement.setString(next++, epoch.node());
            statement.setInt(next++, entered.size());
            statement.setArray(
                    next,
                    c.createArrayOf(
                            "text",
                            entered.stream()
                                    .map(Slot::idempotencyKey)
                                    .sorted()
                                    .limit(MOST_NAMED)
                                    .toArray()));
            statement.executeUpdate();
        }
    }
}
