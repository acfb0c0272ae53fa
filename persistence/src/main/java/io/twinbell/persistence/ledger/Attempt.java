package io.twinbell.persistence.ledger;

import java.util.List;

/**
 * A claimed, unfinished execution: the slot, the attempt, and the epoch that claimed it.
 *
 * @param definition the task's definition, JSON; null if the task was removed
 * @param inTurn whether the execution waits for other runs of its task; otherwise the overlap policy may skip it
 * @param tags the task's tags
 */
public record Attempt(
        Slot slot,
        String app,
        String name,
        int attempt,
        long epoch,
        String node,
        String definition,
        boolean inTurn,
        List<String> tags) {
    /** An attempt of a planned slot: its task's overlap policy decides on it. */
    public Attempt(Slot slot, String app, String name, int attempt, long epoch, String node, List<String> tags) {
        this(slot, app, name, attempt, epoch, node, null, false, tags);
    }
}
