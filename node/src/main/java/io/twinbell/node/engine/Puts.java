package io.twinbell.node.engine;

import java.util.Arrays;

/** Tasks that are to be put into the heap, gathered so that the trigger is told once. */
final class Puts {
    private final long[] ids;
    private final long[] times;
    private final byte[] priorities;
    private int count;

    Puts(int most) {
        ids = new long[most];
        times = new long[most];
        priorities = new byte[most];
    }

    void add(long id, long fireMillis, int priority) {
        ids[count] = id;
        times[count] = fireMillis;
        priorities[count++] = (byte) priority;
    }

    void sendTo(ActionQueue actions) {
        if (count > 0) {
            actions.add(new Action.Put(
                    Arrays.copyOf(ids, count), Arrays.copyOf(times, count), Arrays.copyOf(priorities, count)));
        }
    }
}
