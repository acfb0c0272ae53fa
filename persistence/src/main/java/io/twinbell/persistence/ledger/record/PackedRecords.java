package io.twinbell.persistence.ledger.record;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import io.twinbell.persistence.ledger.ClaimColumns;
import io.twinbell.persistence.ledger.ColumnArrays;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.FailureStreaks;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.Slot;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Inserts slots that were claimed in batches ({@code PackedClaim}) together with their outcomes: one row each, written
 * once.
 */
public final class PackedRecords {
    private static final Logger LOG = LoggerFactory.getLogger(PackedRecords.class);

    /**
     * The usual statement, which expects that no slot has a row yet. It neither looks for existing rows nor confirms
     * each row afterwards, which saves a quarter of the time. If a slot does have a row, the statement fails and
     * changes nothing.
     */
    private static final String RECORD_NEW = record("");

    /** Skips a slot that has a row already: an earlier insert may have committed although its answer was lost. */
    private static final String RECORD_MISSING = record("on conflict do nothing");

    /**
     * Locks the row of each batch, so that no other transaction unpacks the batch. The batch's row is deleted with its
     * last slots, if all of them were inserted. A task that others follow (a chain) is left to the update, which
     * creates the slots of its followers. A task that no longer exists is left to it as well.
     */
    private static String record(String onConflict) {
        return "with " + EpochGuard.ALSO_WHILE_DRAINING + String.format(Locale.ROOT, """
            , given as materialized (
              select ?::bigint[] as batches, ?::bigint[] as tasks, ?::bigint[] as fires, ?::bigint[] as started,
                     ?::bigint[] as ended, ?::text[] as outputs
            ), kept as materialized (
              select b.batch, b.epoch, b.node, b.claimed_at from twinbell.claim_batch b
              where b.epoch = ? and b.batch = any(?::bigint[]) and exists (select 1 from authority)
              order by b.batch for update
            ), recorded as (
              insert into twinbell.execution (task_id, fire_time, app, name, state, epoch, node, batch, claimed_at,
                                              definition_id, started_at, ended_at, output)
              select t.id, twinbell.instant(g.fires[width_bucket(t.id, g.tasks)]), t.app, t.name, 'SUCCEEDED',
                     k.epoch, k.node, k.batch, k.claimed_at,
                     case when t.updated_at < k.claimed_at then t.definition_id end,
                     to_timestamp(g.started[width_bucket(t.id, g.tasks)] / 1000000.0::float8),
                     to_timestamp(g.ended[width_bucket(t.id, g.tasks)] / 1000000.0::float8),
                     g.outputs[width_bucket(t.id, g.tasks)]
              from given g join twinbell.task t on t.id = any(g.tasks)
                join kept k on k.batch = g.batches[width_bucket(t.id, g.tasks)]
              where not t.chained
              %s
              returning task_id, fire_time, batch
            ), ended as (
              delete from twinbell.claim_batch b using unnest(?::bigint[], ?::bigint[]) as e(batch, slots)
              where b.epoch = ? and b.batch = e.batch and b.batch in (select batch from kept)
                and (select count(*) from recorded r where r.batch = e.batch) = e.slots
            )
            select (select count(*) from authority), case when count(*) < ? then coalesce(array_agg(task_id), '{}') end,
                   case when count(*) < ? then coalesce(array_agg(twinbell.millis(fire_time)), '{}') end
            from recorded""", onConflict);
    }

    private PackedRecords() {}

    /**
     * The result of the statement.
     *
     * @param left completions that were not inserted, because the batch was unpacked or the row must be written in
     *     another way
     */
    public record InsertResult(boolean isAuthorised, List<Completion> left) {}

    /** Whether a row can be inserted with this outcome: the first attempt succeeded, and nothing follows from it. */
    static boolean isPlain(Completion completion) {
        return completion.state() == ExecutionState.SUCCEEDED
                && completion.attempt() == 1
                && completion.nextMillis() == Completion.NOT_FOLLOWED
                && completion.text().error() == null
                && completion.text().reason() == null
                && !FailureStreaks.counts(completion);
    }

    /**
     * @param found completions of slots in open batches, each with its batch; all are {@link #isPlain}
     * @return the completions to look for in the ledger
     */
    public static InsertResult record(
            Connection c, Epoch epoch, Map<Completion, PackedSlots.Batch> found, PackedSlots batches)
            throws SQLException {
        List<Completion> completions = oneOfEachTask(found.keySet());
        Map<PackedSlots.Batch, Set<Slot>> byBatch = new HashMap<>();
        completions.forEach(done ->
                byBatch.computeIfAbsent(found.get(done), b -> new HashSet<>()).add(done.slot()));
        Set<Slot> entered = enter(c, epoch, completions, found, byBatch);
        if (entered == null) {
            return new InsertResult(false, List.copyOf(found.keySet()));
        }
        byBatch.forEach((batch, slots) -> {
            slots.retainAll(entered);
            batches.recorded(batch, slots);
        });
        // Excludes slots that are still in a known batch: another thread may have given them rows meanwhile.
        return new InsertResult(
                true,
                found.keySet().stream()
                        .filter(done -> !entered.contains(done.slot()))
                        .toList());
    }

    /** The slots that were inserted; null if the epoch may not write. */
    private static Set<Slot> enter(
            Connection c,
            Epoch epoch,
            List<Completion> completions,
            Map<Completion, PackedSlots.Batch> found,
            Map<PackedSlots.Batch, Set<Slot>> byBatch)
            throws SQLException {
        try {
            return run(c, RECORD_NEW, epoch, completions, found, byBatch);
        } catch (SQLException e) {
            if (!ClaimColumns.isDuplicateKey(e)) {
                throw e;
            }
            LOG.debug(
                    "at least one of {} slots is already in the ledger: inserting only the missing ones",
                    completions.size());
            return run(c, RECORD_MISSING, epoch, completions, found, byBatch);
        }
    }

    private static Set<Slot> run(
            Connection c,
            String sql,
            Epoch epoch,
            List<Completion> completions,
            Map<Completion, PackedSlots.Batch> found,
            Map<PackedSlots.Batch, Set<Slot>> byBatch)
            throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(sql)) {
            bind(statement, epoch, completions, found, byBatch);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                if (row.getLong(1) == 0) {
                    return null;
                }
                Set<Slot> entered = new HashSet<>();
                if (row.getArray(2) == null) {
                    byBatch.values().forEach(entered::addAll);
                } else {
                    addSlots(row.getArray(2), row.getArray(3), entered);
                }
                return entered;
            }
        }
    }

    /** Sorts by task id, as the statement requires. Of two slots of one task, keeps one. */
    private static List<Completion> oneOfEachTask(Collection<Completion> completions) {
        List<Completion> ordered = new ArrayList<>(completions);
        ordered.sort(Comparator.comparingLong(completion -> completion.slot().taskId()));
        List<Completion> one = new ArrayList<>(ordered.size());
        long last = Long.MIN_VALUE;
        for (Completion completion : ordered) {
            if (completion.slot().taskId() != last) {
                one.add(completion);
                last = completion.slot().taskId();
            }
        }
        return one;
    }

    private static void bind(
            PreparedStatement statement,
            Epoch epoch,
            List<Completion> completions,
            Map<Completion, PackedSlots.Batch> found,
            Map<PackedSlots.Batch, Set<Slot>> byBatch)
            throws SQLException {
        int next = new ColumnArrays<>(statement, EpochGuard.bind(statement, 1, epoch), completions)
                .longs(d -> found.get(d).number())
                .slots(Completion::slot)
                .longs(d -> d.run().startedMicros())
                .longs(d -> d.run().endedMicros())
                .next();
        // An empty array if no completion has output: PostgreSQL finds an element of a text array by walking along it.
        boolean isSilent = completions.stream().allMatch(done -> done.text().output() == null);
        next = new ColumnArrays<>(statement, next, isSilent ? List.<Completion>of() : completions)
                .handlerTexts(d -> d.text().output())
                .next();
        statement.setLong(next++, epoch.number());
        next = new ColumnArrays<>(statement, next, List.copyOf(byBatch.keySet()))
                .longs(PackedSlots.Batch::number)
                .next();
        List<Map.Entry<PackedSlots.Batch, Set<Slot>>> ending = byBatch.entrySet().stream()
                .filter(some -> some.getKey().endsWith(some.getValue()))
                .toList();
        next = new ColumnArrays<>(statement, next, ending)
                .longs(some -> some.getKey().number())
                .longs(some -> some.getValue().size())
                .next();
        statement.setLong(next++, epoch.number());
        statement.setInt(next++, completions.size());
        statement.setInt(next, completions.size());
    }

    private static void addSlots(Array tasks, Array fires, Set<Slot> slots) throws SQLException {
        Long[] ids = (Long[]) tasks.getArray();
        Long[] millis = (Long[]) fires.getArray();
        for (int i = 0; i < ids.length; i++) {
            slots.add(new Slot(ids[i], millis[i]));
        }
    }
}
