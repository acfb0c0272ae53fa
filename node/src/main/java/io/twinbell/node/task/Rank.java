package io.twinbell.node.task;

/**
 * How a task stands to others when not all that is due can run at once.
 *
 * @param priority 0 to 9, the highest goes first
 * @param concurrencyKey what it shares with other tasks, and a limit may be set on; null for nothing
 */
public record Rank(int priority, String concurrencyKey) {
    public static final int USUAL_PRIORITY = 5;
}
