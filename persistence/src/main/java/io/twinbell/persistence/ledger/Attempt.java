package io.twinbell.persistence.ledger;

import java.util.List;

/**
 * A claimed, unfinished row of the ledger: which attempt of which slot, and under which epoch.
 *
 * @param definition its task's definition, JSON; null if the task was removed
 * @param inTurn whether it waits for other runs of its task rather than being skipped for them
 * @param tags its task's
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
    /** A planned slot's, which its overlap policy decides on. */
    public Attempt(Slot slot, String app, String name, int attempt, long epoch, String node, List<String> tags) {
        this(slot, app, name, attempt, epoch, node, null, false, tags);
    }
}
