package io.twinbell.persistence.ledger;

import java.util.List;
import java.util.Map;

/** Reads what is due. The table is the truth; the heap is only a cache of it. */
public interface DueTasks {
    /** Up to {@code limit} ACTIVE tasks after the given position, soonest first. */
    HeapPage page(long afterFireMillis, long afterTaskId, int limit);

    /** The ACTIVE tasks that have been due for at least {@code byMillis}, most overdue first. */
    HeapPage overdue(long byMillis, int limit);

    /** Definitions and next fire times; a task that does not exist is not in the answer. */
    List<DueTask> read(long[] taskIds);

    /** The app of each task; a task that does not exist is not in the answer. */
    Map<Long, String> apps(long[] taskIds);

    /** The app of every task that exists; null if there are tasks of several apps, or none. */
    String soleApp();
}
