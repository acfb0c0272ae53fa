package io.twinbell.node.engine.task;

/**
 * The overdue fire times of a task.
 *
 * @param first the oldest of them, epoch milliseconds
 * @param last the newest of them, always exact; equal to {@code first} if there are fewer than two
 * @param count their number, both ends included; a lower bound if not {@code complete}
 * @param complete false if counting stopped at the limit
 */
public record Overdue(long first, long last, long count, boolean complete) {
    /** The result if the first fire time is after the given instant. */
    public static Overdue none(long first) {
        return new Overdue(first, first, 0, true);
    }
}
