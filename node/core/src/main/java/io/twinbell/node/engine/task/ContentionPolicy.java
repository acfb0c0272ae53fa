package io.twinbell.node.engine.task;

/**
 * The priority of a task, and the concurrency key it shares with other tasks; used when not all due tasks can run at
 * once.
 *
 * @param priority 0 to 9, the highest goes first
 * @param concurrencyKey a key shared with other tasks, for which a limit can be set; null for none
 */
public record ContentionPolicy(int priority, String concurrencyKey) {
    public static final int USUAL_PRIORITY = 5;
}
