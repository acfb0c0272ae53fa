package io.twinbell.node.engine.settle;

import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/** Remembers slots whose rows could not be written, so that they are skipped for a minute and do not block others. */
final class FailingSlots {
    private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int MAX_SLOTS = 10_000;
    /** Each failure may last as long as a statement may. */
    private static final int FAILURES_AT_ONCE = 12;

    private final Ticker ticker;
    private final Loop loop;
    private final Map<Slot, Long> avoided = new HashMap<>();

    FailingSlots(Ticker ticker, Loop loop) {
        this.ticker = ticker;
        this.loop = loop;
    }

    boolean isSuspended(Slot slot) {
        Long since = avoided.get(slot);
        if (since != null && ticker.nanos() - since >= PAUSE_NANOS) {
            avoided.remove(slot);
            return false;
        }
        return since != null;
    }

    /**
     * Does the work for all slots together, and after a failure for each half, down to single slots.
     *
     * @throws DatabaseUnavailableException if the database is unavailable, or too many parts failed in this pass
     */
    <T> void halve(List<T> all, Function<T, Slot> slot, Consumer<List<T>> work) {
        halve(all, slot, work, new int[] {FAILURES_AT_ONCE});
    }

    private <T> void halve(List<T> some, Function<T, Slot> slot, Consumer<List<T>> work, int[] failuresLeft) {
        if (some.isEmpty()) {
            return;
        }
        try {
            work.accept(some);
        } catch (DatabaseUnavailableException e) {
            if (e.isOutage() || failuresLeft[0]-- == 0) {
                throw e;
            }
            if (some.size() == 1) {
                suspend(slot.apply(some.get(0)), e);
                return;
            }
            int middle = some.size() / 2;
            halve(some.subList(0, middle), slot, work, failuresLeft);
            halve(some.subList(middle, some.size()), slot, work, failuresLeft);
        }
    }

    private void suspend(Slot slot, RuntimeException why) {
        if (avoided.size() >= MAX_SLOTS) {
            avoided.clear();
        }
        avoided.put(slot, ticker.nanos());
        loop.setAside(slot.idempotencyKey() + " for a minute", why);
    }
}
