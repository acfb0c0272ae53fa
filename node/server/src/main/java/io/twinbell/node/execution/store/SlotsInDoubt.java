package io.twinbell.node.execution.store;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.ledger.ColumnArrays;
import io.twinbell.persistence.ledger.Slot;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the slots that may have run on a primary that was lost together with its master, as each successor recorded
 * them.
 */
public final class SlotsInDoubt {
    private static final String FOUND = """
            select coalesce(sum(slots), 0)::bigint from twinbell.slot_in_doubt
            where found_at > statement_timestamp() - ? * interval '1 millisecond'""";

    private static final String OF_EPOCHS = """
            select e.epoch, n.slots, f.task_id, twinbell.millis(f.fire_time)
            from unnest(?::bigint[]) as e(epoch)
              cross join lateral (
                select sum(d.slots)::bigint as slots from twinbell.slot_in_doubt d where d.epoch = e.epoch) n
              cross join lateral (
                select d.task_id, d.fire_time from twinbell.slot_in_doubt d where d.epoch = e.epoch
                order by d.fire_time, d.task_id limit ?) f
            order by e.epoch, f.fire_time, f.task_id""";

    private final DedicatedConnection connection;

    public SlotsInDoubt(DedicatedConnection connection) {
        this.connection = connection;
    }

    /**
     * The slots in doubt that a successor has recorded.
     *
     * @param slots how many
     * @param first the first ledger rows that stand for them, by fire time
     */
    public record SlotList(long slots, List<Slot> first) {
        public SlotList {
            first = List.copyOf(first);
        }
    }

    /** How many slots in doubt were recorded within this time. */
    public long found(Duration within) {
        return connection.run(FOUND, statement -> {
            statement.setLong(1, within.toMillis());
            return Rows.only(statement, row -> row.getLong(1));
        });
    }

    /**
     * The slots in doubt that were recorded under each of the epochs; epochs without any are not in the result.
     *
     * @param most the maximum number of rows per epoch
     */
    public Map<Long, SlotList> of(Collection<Long> epochs, int most) {
        return connection.run(OF_EPOCHS, statement -> {
            new ColumnArrays<>(statement, 1, List.copyOf(epochs)).longs(Long::longValue);
            statement.setInt(2, most);
            Map<Long, Long> counts = new HashMap<>();
            Map<Long, List<Slot>> first = new HashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    counts.put(rows.getLong(1), rows.getLong(2));
                    first.computeIfAbsent(rows.getLong(1), epoch -> new ArrayList<>())
                            .add(new Slot(rows.getLong(3), rows.getLong(4)));
                }
            }
            Map<Long, SlotList> named = new HashMap<>();
            counts.forEach((epoch, slots) -> named.put(epoch, new SlotList(slots, first.get(epoch))));
            return named;
        });
    }
}
