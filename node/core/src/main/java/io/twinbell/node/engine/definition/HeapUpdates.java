package io.twinbell.node.engine.definition;

import io.twinbell.node.engine.run.AppHash;
import io.twinbell.node.engine.trigger.ActionQueue;
import io.twinbell.node.engine.trigger.HeapAction;
import java.util.Arrays;

/** Collects heap updates for tasks, so that the trigger gets them as one action. */
public final class HeapUpdates {
    private final long[] ids;
    private final long[] times;
    private final byte[] priorities;
    private final short[] apps;
    private int count;

    public HeapUpdates(int most) {
        ids = new long[most];
        times = new long[most];
        priorities = new byte[most];
        apps = new short[most];
    }

    void add(long id, long fireMillis, int priority, String app) {
        ids[count] = id;
        times[count] = fireMillis;
        apps[count] = AppHash.of(app);
        priorities[count++] = (byte) priority;
    }

    public void add(long id, long fireMillis, Definitions.KnownDefinition known) {
        add(id, fireMillis, known.priority(), known.name().app());
    }

    public void sendTo(ActionQueue actions) {
        if (count > 0) {
            actions.add(new HeapAction.Put(
                    Arrays.copyOf(ids, count),
                    Arrays.copyOf(times, count),
                    Arrays.copyOf(priorities, count),
                    Arrays.copyOf(apps, count)));
        }
    }
}
