package io.twinbell.persistence.ledger.claim;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import io.twinbell.persistence.ledger.DoubtReasons;
import io.twinbell.persistence.ledger.Slot;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;

/**
 * Settles rows that wait in the ledger and were due when a primary was lost together with its master, because that
 * master may have run them. The option onDoubt of each task decides, as it does for planned slots.
 */
final class WaitingDoubts {
    /** Rows that changed after the loss was found are not in doubt: they are known to wait. */
    private static final String SETTLE = "with " + EpochGuard.OF_THE_OWNER + """
            , found as materialized (
              select e.task_id, e.fire_time, e.slots, coalesce(d.content ->> 'onDoubt', d.content ->> 'orphan', 'DROP') as policy
              from (select until_time, changed from twinbell.doubt_window order by found_at desc limit 1) w
                join twinbell.execution e on e.state in ('PENDING', 'RETRYING')
                  and coalesce(e.due_at, e.fire_time) <= w.until_time and e.changed < w.changed
                left join twinbell.task t on t.id = any(array[e.task_id])
                left join twinbell.definition d on d.id = any(array[t.definition_id])
              where exists (select 1 from authority)
              order by e.task_id, e.fire_time limit ? for update of e
            ), named as (
              insert into twinbell.slot_in_doubt (task_id, fire_time, slots, epoch)
              select task_id, fire_time, slots, ? from found
              on conflict (task_id, fire_time) do update set epoch = excluded.epoch, found_at = excluded.found_at
            ), settled as (
              update twinbell.execution e
              set state = case when f.policy = 'RERUN' then e.state else 'DROPPED' end,
                  epoch = case when f.policy = 'RERUN' then e.epoch else ? end,
                  node = case when f.policy = 'RERUN' then e.node else ? end,
                  claimed_at = case when f.policy = 'RERUN' then e.claimed_at else clock_timestamp() end,
                  ended_at = case when f.policy = 'RERUN' then e.ended_at else clock_timestamp() end,
                  due_at = case when f.policy = 'RERUN' then e.due_at end,
                  held_by = case when f.policy = 'RERUN' then e.held_by end,
                  reason = case f.policy when 'RERUN' then ? when 'ASK' then ? else ? end
              from found f
              where twinbell.same(e.task_id, f.task_id) and twinbell.same(e.fire_time, f.fire_time)
            )
            select task_id, twinbell.millis(fire_time), policy = 'RERUN' from found""";

    private WaitingDoubts() {}

    static Ledger.SettledDoubts settle(Connection c, Epoch epoch, int most) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(SETTLE)) {
            int next = EpochGuard.bind(statement, 1, epoch);
            statement.setInt(next++, most);
            statement.setLong(next++, epoch.number());
            statement.setLong(next++, epoch.number());
            statement.setString(next++, epoch.node());
            statement.setString(next++, DoubtReasons.RUN_AGAIN);
            statement.setString(next++, DoubtReasons.ASKED);
            statement.setString(next, DoubtReasons.DROPPED);
            Set<Slot> dropped = new HashSet<>();
            int found = 0;
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found++;
                    if (!rows.getBoolean(3)) {
                        dropped.add(new Slot(rows.getLong(1), rows.getLong(2)));
                    }
                }
            }
            return new Ledger.SettledDoubts(dropped, found == most);
        }
    }
}
