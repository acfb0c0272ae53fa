package io.twinbell.persistence.ledger.recovery;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.ClaimColumns;
import io.twinbell.persistence.ledger.ColumnArrays;
import io.twinbell.persistence.ledger.Slot;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Excludes parked attempts from settlement, because an answer from outside decides their outcome. */
final class CallbackSlots {
    /** A condition for an execution {@code e} that is to be settled. */
    static final String NONE_AWAITED = """
            not exists (select 1 from twinbell.parked p where twinbell.same(p.task_id, e.task_id)
              and twinbell.same(p.fire_time, e.fire_time) and p.attempt = e.attempt
              and p.over_at is null and (p.is_out or p.answer is not null))""";

    /**
     * Locks the parked rows until the settlement is committed, so that an answer is either found here or finds the
     * attempt settled. An accepted attempt of an earlier epoch is adopted and not settled; one of this epoch is settled
     * only on request.
     */
    private static final String KEPT = """
            select p.task_id, twinbell.millis(p.fire_time), p.answer is not null or p.is_out and g.epoch < ?
            from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[]) as g(task_id, fire, attempt, epoch)
              join twinbell.parked p on twinbell.same(p.task_id, g.task_id)
                and twinbell.same(p.fire_time, twinbell.instant(g.fire)) and p.attempt = g.attempt
            where p.over_at is null
            for update of p""";

    private CallbackSlots() {}

    static List<Settlement> without(Connection c, Epoch epoch, List<Settlement> settlements) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(KEPT)) {
            statement.setLong(1, epoch.number());
            new ColumnArrays<>(statement, 2, settlements)
                    .slots(s -> s.orphan().slot())
                    .longs(s -> s.orphan().attempt())
                    .longs(s -> s.orphan().epoch());
            Set<Slot> kept = new HashSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    if (rows.getBoolean(3)) {
                        kept.add(ClaimColumns.slot(rows));
                    }
                }
            }
            return settlements.stream()
                    .filter(settlement -> !kept.contains(settlement.orphan().slot()))
                    .toList();
        }
    }
}
