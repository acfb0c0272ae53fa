package io.twinbell.persistence.ledger.recovery;

import java.util.List;

/**
 * An ACTIVE task that waits for the end of a run although no run is in progress.
 *
 * @param lastEndedMillis when its last execution ended; 0 if it has none
 */
public record StalledTask(long taskId, String app, String name, String definition, long lastEndedMillis) {
    /** Precedes every task. */
    public static final long FROM_THE_FIRST = Long.MIN_VALUE;

    /**
     * The stalled tasks that one call found.
     *
     * @param nextAfter the task after which the next call continues; {@link #FROM_THE_FIRST} when all have been
     *     examined
     */
    public record StalledTaskPage(List<StalledTask> tasks, long nextAfter) {}
}
