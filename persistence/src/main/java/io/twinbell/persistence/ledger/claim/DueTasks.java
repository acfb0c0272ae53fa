package io.twinbell.persistence.ledger.claim;

import java.util.List;
import java.util.Map;

/** Reads due tasks. The table is authoritative; the task heap is only a cache of it. */
public interface DueTasks {
    /**
     * A page of the task heap: (next fire time, task id) pairs of ACTIVE tasks in that order, as parallel arrays.
     *
     * @param priorities 0 to 9
     */
    record HeapPage(long[] fireMillis, long[] taskIds, byte[] priorities) {
        public int size() {
            return taskIds.length;
        }
    }

    /** Up to {@code limit} ACTIVE tasks after the given position, in order of fire time. */
    HeapPage page(long afterFireMillis, long afterTaskId, int limit);

    /**
     * ACTIVE tasks that have been due for at least {@code byMillis}, most overdue first. While a session keeps vacuum
     * from cleaning up, a call may look at some of them only; repeated calls find the others.
     */
    HeapPage overdue(long byMillis, int limit);

    /** The next fire times of those of the tasks that are ACTIVE and have one, in any order. */
    HeapPage waiting(long[] taskIds);

    /** Reads definitions and next fire times. The result lacks tasks that do not exist. */
    List<DueTask> read(long[] taskIds);

    /** The app of each task. The result lacks tasks that do not exist. */
    Map<Long, String> apps(long[] taskIds);

    /** The app that all existing tasks belong to; null if there are several apps, or no tasks. */
    String soleApp();
}
