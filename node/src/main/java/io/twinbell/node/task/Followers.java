package io.twinbell.node.task;

/**
 * How many tasks follow the end of a task's executions. What they are is decided in the database.
 *
 * @param afterSuccess tasks in {@code then}
 * @param afterFailure tasks in {@code thenOnFailure}
 */
public record Followers(int afterSuccess, int afterFailure) {
    public static final Followers NONE = new Followers(0, 0);

    /** Whether any outcome enters slots of other tasks. */
    public boolean areAny() {
        return afterSuccess > 0 || afterFailure > 0;
    }
}
