package io.twinbell.persistence.ledger;

/**
 * Some of the (next fire time, task id) pairs of ACTIVE tasks, in that order: parallel arrays.
 *
 * @param priorities 0 to 9
 */
public record HeapPage(long[] fireMillis, long[] taskIds, byte[] priorities) {
    public int size() {
        return taskIds.length;
    }
}
