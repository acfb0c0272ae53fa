package io.twinbell.persistence.ledger;

import java.util.List;

/**
 * An ACTIVE task that waits for the end of a run, and no run is under way.
 *
 * @param lastEndedMillis when its last execution ended; 0 if it has none
 */
public record StalledTask(long taskId, String app, String name, String definition, long lastEndedMillis) {
    /** Before every task. */
    public static final long FROM_THE_FIRST = Long.MIN_VALUE;

    /**
     * What one look found.
     *
     * @param nextAfter the task after which the next look goes on; {@link #FROM_THE_FIRST} when all have been looked at
     */
    public record Look(List<StalledTask> tasks, long nextAfter) {}
}
