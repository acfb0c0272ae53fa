package io.twinbell.node.schedule;

/**
 * The fire times of a task that have come due.
 *
 * @param first the oldest of them, epoch milliseconds
 * @param last the newest of them, always exact; equal to {@code first} if there are fewer than two
 * @param count how many there are, both ends included; if not {@code complete}, at least how many
 * @param complete false if counting stopped at the limit
 */
public record Overdue(long first, long last, long count, boolean complete) {
    /** The answer if even the first fire time lies after the instant that was asked for. */
    static Overdue none(long first) {
        return new Overdue(first, first, 0, true);
    }
}
