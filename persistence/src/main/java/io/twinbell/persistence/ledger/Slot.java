package io.twinbell.persistence.ledger;

/**
 * One fire time of a task: the identity of an execution and its idempotency key.
 *
 * @param fireTimeMillis milliseconds since 1970 UTC
 */
public record Slot(long taskId, long fireTimeMillis) {
    /** The length of a key with a large id. */
    private static final int LENGTH = 44;

    /** The fire time in the format of the API, {@code 2026-03-29T01:00:00.000Z}. */
    public String fireTime() {
        return InstantFormat.text(fireTimeMillis);
    }

    public String idempotencyKey() {
        return new StringBuilder(LENGTH)
                .append(taskId)
                .append('/')
                .append(fireTime())
                .toString();
    }

    /** Handwritten because it is called several times for each run: a record's default goes through method handles. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Slot slot && taskId == slot.taskId && fireTimeMillis == slot.fireTimeMillis;
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(taskId) + Long.hashCode(fireTimeMillis);
    }
}
