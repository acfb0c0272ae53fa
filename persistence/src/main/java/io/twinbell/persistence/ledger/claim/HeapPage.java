package io.twinbell.persistence.ledger.claim;

/**
 * A page of the task heap: (next fire time, task id) pairs of ACTIVE tasks in that order, as parallel arrays.
 *
 * @param priorities 0 to 9
 */
public record HeapPage(long[] fireMillis, long[] taskIds, byte[] priorities) {
    public int size() {
        return taskIds.length;
    }
}
