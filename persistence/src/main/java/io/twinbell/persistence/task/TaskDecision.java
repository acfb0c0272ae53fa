package io.twinbell.persistence.task;

/** Decides on a change of one task while its rows are locked, so that no claim and no other edit comes between. */
@FunctionalInterface
public interface TaskDecision {
    /**
     * Takes values and returns a value: it may be called again if its transaction is repeated. If it throws, nothing is
     * changed.
     *
     * @param nowMillis now by the database's clock, read after the lock was taken
     */
    TaskChange decide(Task current, long nowMillis);
}
