package io.twinbell.node.engine.trigger;

import io.twinbell.node.engine.run.AppHash;
import io.twinbell.node.engine.run.Run;
import java.util.List;

/**
 * A message to the trigger thread: a change to the task heap, or runs to start. Other threads can change the task heap
 * only by such an action.
 */
public sealed interface HeapAction {
    /**
     * Adds tasks to the heap or moves them, given as parallel arrays.
     *
     * @param apps the tasks' {@link AppHash}s
     */
    record Put(long[] ids, long[] times, byte[] priorities, short[] apps) implements HeapAction {
        /** Adds or moves tasks whose apps have not been read. */
        public Put(long[] ids, long[] times, byte[] priorities) {
            this(ids, times, priorities, new short[ids.length]);
        }

        public static Put one(long id, long time, int priority, short app) {
            return new Put(new long[] {id}, new long[] {time}, new byte[] {(byte) priority}, new short[] {app});
        }
    }

    /**
     * Adds overdue tasks that the heap lacks, and counts them.
     *
     * @param taken {@link DueInbox#taken} before the table was read
     */
    record Check(long[] ids, long[] times, byte[] priorities, long taken) implements HeapAction {}

    record Remove(long id) implements HeapAction {}

    /** Removes all user tasks, because this node no longer fires. */
    record Clear() implements HeapAction {}

    /** Starts claimed runs at their fire times. */
    record Start(List<Run> runs) implements HeapAction {}
}
