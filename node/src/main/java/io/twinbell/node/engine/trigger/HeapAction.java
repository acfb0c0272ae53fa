package io.twinbell.node.engine.trigger;

import io.twinbell.node.engine.run.AppGroup;
import io.twinbell.node.engine.run.Run;
import java.util.List;

/** Something for the trigger thread to do: the only way to change the task heap. */
public sealed interface HeapAction {
    /**
     * Adds tasks to the heap or moves them: parallel arrays.
     *
     * @param apps the tasks' {@link AppGroup}s
     */
    record Put(long[] ids, long[] times, byte[] priorities, short[] apps) implements HeapAction {
        /** Tasks whose apps have not been read. */
        public Put(long[] ids, long[] times, byte[] priorities) {
            this(ids, times, priorities, new short[ids.length]);
        }

        public static Put one(long id, long time, int priority, short app) {
            return new Put(new long[] {id}, new long[] {time}, new byte[] {(byte) priority}, new short[] {app});
        }
    }

    /**
     * Tasks that the table says have long been due: those that the heap lacks are added and counted.
     *
     * @param taken {@link DueInbox#taken} before the table was asked
     */
    record Check(long[] ids, long[] times, byte[] priorities, long taken) implements HeapAction {}

    record Remove(long id) implements HeapAction {}

    /** Removes all user tasks: this node no longer fires. */
    record Clear() implements HeapAction {}

    /** Claimed runs, to be started at their instants. */
    record Start(List<Run> runs) implements HeapAction {}
}
