package io.twinbell.persistence.ledger;

/** Some of the (next fire time, task id) pairs of ACTIVE tasks, in that order: parallel arrays. */
public record HeapPage(long[] fireMillis, long[] taskIds) {
    public int size() {
        return taskIds.length;
    }
}
