package io.twinbell.node.engine.run;

import io.twinbell.persistence.ledger.Slot;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Slots whose runs have ended and whose outcomes could not be recorded. Some outcomes are retried, and settling leaves
 * their rows alone. The others are given up: settling ends their rows with the reason, and the slots do not run again.
 * Any thread.
 */
public final class UnrecordableOutcomes {
    /** Beyond this number, rows are settled like any row that no process holds. */
    private static final int MOST_LOST = 10_000;

    private final Set<Slot> waiting = ConcurrentHashMap.newKeySet();
    private final Map<Slot, String> lost = new ConcurrentHashMap<>();

    public void waits(Slot slot) {
        waiting.add(slot);
    }

    public void remove(Slot slot) {
        waiting.remove(slot);
    }

    public void isLost(Slot slot, String reason) {
        waiting.remove(slot);
        if (lost.size() < MOST_LOST) {
            lost.put(slot, reason);
        }
    }

    /** Whether its outcome is still to be recorded. */
    public boolean contains(Slot slot) {
        return waiting.contains(slot);
    }

    /** Why its outcome was given up; null if it was not. */
    public String whyLost(Slot slot) {
        return lost.get(slot);
    }

    public void settled(Slot slot) {
        lost.remove(slot);
    }

    int size() {
        return waiting.size();
    }
}
