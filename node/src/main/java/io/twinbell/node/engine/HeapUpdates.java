package io.twinbell.node.engine;

import java.util.Arrays;

/** Tasks that are to be put into the heap, gathered so that the trigger is told once. */
final class HeapUpdates {
    private final long[] ids;
    private final long[] times;
    private final byte[] priorities;
    private final short[] apps;
    private int count;

    HeapUpdates(int most) {
        ids = new long[most];
        times = new long[most];
        priorities = new byte[most];
        apps = new short[most];
    }

    void add(long id, long fireMillis, int priority, String app) {
        ids[count] = id;
        times[count] = fireMillis;
        apps[count] = AppGroup.of(app);
        priorities[count++] = (byte) priority;
    }

    void add(long id, long fireMillis, Definitions.Known known) {
        add(id, fireMillis, known.priority(), known.name().app());
    }

    void sendTo(ActionQueue actions) {
        if (count > 0) {
            actions.add(new HeapAction.Put(
                    Arrays.copyOf(ids, count),
                    Arrays.copyOf(times, count),
                    Arrays.copyOf(priorities, count),
                    Arrays.copyOf(apps, count)));
        }
    }
}
