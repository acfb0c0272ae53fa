package io.twinbell.persistence.task;

/** Decides about one task while its rows are locked, so that no claim and no other edit comes between. */
@FunctionalInterface
public interface TaskDecision {
    /**
     * Takes values and returns a value: it may be asked again if its transaction has to be repeated. What it throws
     * leaves everything as it was.
     *
     * @param nowMillis now by the database's clock, read after the lock was taken
     */
    TaskChange decide(Task current, long nowMillis);
}
