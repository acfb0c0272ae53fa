package io.twinbell.persistence.ledger;

import io.twinbell.persistence.epoch.Epoch;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * The slots that this process has claimed in batches ({@code PackedClaim}) and not yet recorded. Code that must find
 * such a claim in the ledger unpacks its batch first ({@code spread_batches}): each slot then gets its own row, and is
 * removed here.
 *
 * <p>This only speeds up the search; the database is authoritative. If another process has unpacked a batch, its slots
 * are found in the ledger. If a slot has no row and is unknown here, the batches in the database are searched.
 * Thread-safe.
 */
public final class PackedSlots {
    /**
     * Smaller groups are claimed in rows of their own: the saving would not justify that the claims are invisible in
     * the ledger.
     */
    public static final int LEAST = 100;

    static final String UNPACK = "select twinbell.spread_batches(of_epoch => ?, numbers => ?)";

    /** Slots of older epochs belong to interrupted claims that were not handed back. */
    private static final int MOST_EPOCHS = 8;

    private final int least;
    private final Map<Slot, Batch> batches = new ConcurrentHashMap<>();
    /** The epochs that had batches, oldest first. */
    private final Deque<Long> epochs = new ArrayDeque<>();

    /** @param least the smallest group of one-shots that is claimed in one row; at least 1 */
    public PackedSlots(int least) {
        this.least = least;
    }

    /** An instance under which each slot is claimed in its own row. */
    public static PackedSlots none() {
        return new PackedSlots(Integer.MAX_VALUE);
    }

    /** Slots that were claimed in one row. */
    public static final class Batch {
        private final Epoch epoch;
        private final long number;
        private final List<Slot> slots;
        private final AtomicInteger left;

        public Batch(Epoch epoch, long number, List<Slot> slots) {
            this.epoch = epoch;
            this.number = number;
            this.slots = slots;
            left = new AtomicInteger(slots.size());
        }

        public long number() {
            return number;
        }

        /** Whether these slots are all that is left of the batch. */
        public boolean endsWith(Set<Slot> some) {
            return some.size() == left.get();
        }
    }

    public boolean isWorthwhile(int claims) {
        return claims >= least;
    }

    public synchronized void opened(Epoch epoch, long number, List<Slot> slots) {
        if (slots.isEmpty()) {
            return;
        }
        if (!Long.valueOf(epoch.number()).equals(epochs.peekLast())) {
            epochs.add(epoch.number());
        }
        if (epochs.size() > MOST_EPOCHS) {
            long eldest = epochs.remove();
            batches.values().removeIf(batch -> batch.epoch.number() == eldest);
        }
        Batch batch = new Batch(epoch, number, slots);
        slots.forEach(slot -> batches.put(slot, batch));
    }

    /** The batch in which the epoch claimed the slot; null if the slot has, as far as is known, its own row. */
    public Batch of(Epoch epoch, Slot slot) {
        Batch batch = batches.get(slot);
        return batch == null || batch.epoch.number() != epoch.number() ? null : batch;
    }

    /** Removes slots of the batch that have rows now. */
    public void recorded(Batch batch, Collection<Slot> slots) {
        for (Slot slot : slots) {
            if (batches.remove(slot, batch)) {
                batch.left.decrementAndGet();
            }
        }
    }

    /** Unpacks the batches of these slots: every slot of those batches gets its own row. */
    public void unpack(Connection c, Collection<Slot> slots) throws SQLException {
        if (batches.isEmpty()) {
            return;
        }
        Set<Batch> found =
                slots.stream().map(batches::get).filter(Objects::nonNull).collect(Collectors.toSet());
        Map<Long, Set<Batch>> byEpoch =
                found.stream().collect(Collectors.groupingBy(batch -> batch.epoch.number(), Collectors.toSet()));
        for (Map.Entry<Long, Set<Batch>> some : byEpoch.entrySet()) {
            unpackBatches(
                    c,
                    some.getKey(),
                    some.getValue().stream().map(Batch::number).collect(Collectors.toSet()));
        }
        found.forEach(batch -> recorded(batch, batch.slots));
    }

    public static void unpackBatches(Connection c, long epoch, Set<Long> numbers) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(UNPACK)) {
            statement.setLong(1, epoch);
            new ColumnArrays<>(statement, 2, List.copyOf(numbers)).longs(Long::longValue);
            statement.execute();
        }
    }

    /** Unpacks all batches that contain slots of these tasks, whether or not the batches are known here. */
    public static void unpackBatchesOf(Connection c, long[] tasks) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(
                "select twinbell.spread_batches(of_tasks => ?) where exists (select 1 from twinbell.claim_batch)")) {
            ColumnArrays.bind(statement, 1, tasks);
            statement.execute();
        }
    }
}
