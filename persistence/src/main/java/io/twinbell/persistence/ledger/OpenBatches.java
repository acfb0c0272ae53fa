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
 * Which slots this process has claimed many in a row of the database ({@link BatchClaims}), and has not recorded yet. What
 * has to find such a claim in the ledger spreads its batch first: then it is a row like any other, and forgotten here.
 *
 * <p>This is a help for finding them and no more. The database knows better: a batch that somebody else has spread is not
 * there any more, and what was in it is looked for in the ledger; and what has no row, and is not known here, is looked for
 * in the batches. For any thread.
 */
public final class OpenBatches {
    /** Fewer are claimed in rows of their own: what is saved by a batch is not worth that nobody sees them in the ledger. */
    public static final int LEAST = 100;

    static final String SPREAD = "select twinbell.spread_batches(of_epoch => ?, numbers => ?)";

    /** What is left of one before these was interrupted, and not handed back. */
    private static final int MOST_EPOCHS = 8;

    private final int least;
    private final Map<Slot, Batch> batches = new ConcurrentHashMap<>();
    /** Under which there were batches, the eldest first. */
    private final Deque<Long> epochs = new ArrayDeque<>();

    /** @param least how many one-shots are claimed in one row, if they are claimed together; at least 1 */
    public OpenBatches(int least) {
        this.least = least;
    }

    /** For those who claim each slot in a row of its own. */
    public static OpenBatches none() {
        return new OpenBatches(Integer.MAX_VALUE);
    }

    /** Claims that were made in one row. */
    static final class Batch {
        private final Epoch epoch;
        private final long number;
        private final List<Slot> slots;
        private final AtomicInteger left;

        Batch(Epoch epoch, long number, List<Slot> slots) {
            this.epoch = epoch;
            this.number = number;
            this.slots = slots;
            left = new AtomicInteger(slots.size());
        }

        long number() {
            return number;
        }

        /** Whether nothing is left of it but these. */
        boolean endsWith(Set<Slot> some) {
            return some.size() == left.get();
        }
    }

    boolean isWorth(int claims) {
        return claims >= least;
    }

    synchronized void opened(Epoch epoch, long number, List<Slot> slots) {
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

    /** The batch that a slot was claimed in under the epoch; null if it has, as far as is known, a row of its own. */
    Batch of(Epoch epoch, Slot slot) {
        Batch batch = batches.get(slot);
        return batch == null || batch.epoch.number() != epoch.number() ? null : batch;
    }

    /** Those of the batch have their rows. */
    void recorded(Batch batch, Collection<Slot> slots) {
        for (Slot slot : slots) {
            if (batches.remove(slot, batch)) {
                batch.left.decrementAndGet();
            }
        }
    }

    /** All of the batch is in rows. */
    void closed(Batch batch) {
        recorded(batch, batch.slots);
    }

    /** Gives slots that were claimed in a batch, and the others of it, rows of their own. */
    void spread(Connection c, Collection<Slot> slots) throws SQLException {
        if (batches.isEmpty()) {
            return;
        }
        Set<Batch> found =
                slots.stream().map(batches::get).filter(Objects::nonNull).collect(Collectors.toSet());
        Map<Long, Set<Batch>> byEpoch =
                found.stream().collect(Collectors.groupingBy(batch -> batch.epoch.number(), Collectors.toSet()));
        for (Map.Entry<Long, Set<Batch>> some : byEpoch.entrySet()) {
            spreadBatches(
                    c,
                    some.getKey(),
                    some.getValue().stream().map(Batch::number).collect(Collectors.toSet()));
        }
        found.forEach(this::closed);
    }

    static void spreadBatches(Connection c, long epoch, Set<Long> numbers) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(SPREAD)) {
            statement.setLong(1, epoch);
            statement.setArray(2, SqlArrays.longs(c, List.copyOf(numbers), Long::longValue));
            statement.execute();
        }
    }

    /** Gives the tasks' slots that are in batches, known here or not, and the others of these batches rows of their own. */
    static void spreadBatchesOf(Connection c, long[] tasks) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement("select twinbell.spread_batches(of_tasks => ?)"
                + " where exists (select 1 from twinbell.claim_batch)")) {
            statement.setArray(1, SqlArrays.longs(c, tasks));
            statement.execute();
        }
    }
}
