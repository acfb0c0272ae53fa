package io.twinbell.node.engine.task;

/**
 * The number of tasks that follow a task's executions. The database finds those tasks when an outcome is recorded.
 *
 * @param afterSuccess tasks in {@code then}
 * @param afterFailure tasks in {@code thenOnFailure}
 */
public record Followers(int afterSuccess, int afterFailure) {
    public static final Followers NONE = new Followers(0, 0);

    /** Whether any outcome creates slots of other tasks. */
    public boolean areAny() {
        return afterSuccess > 0 || afterFailure > 0;
    }
}
