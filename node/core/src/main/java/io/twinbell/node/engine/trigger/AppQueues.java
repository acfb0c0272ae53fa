package io.twinbell.node.engine.trigger;

import io.twinbell.node.engine.run.AppHash;
import io.twinbell.node.engine.run.AppLoads;
import io.twinbell.node.engine.run.ClaimRoom;
import io.twinbell.node.engine.run.Urgency;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Orders due tasks by app. While there is room for all, they go in the order of their {@link Urgency}. When more is due
 * than there is room for, apps take turns, so that one app's flood does not delay another app's task; within an app the
 * most urgent goes first. An app that holds more than an equal share of this process's room gets its turn after the
 * others. Each task is here at most once, so the number of tasks bounds the size.
 */
final class AppQueues {
    /** Up to this many queues stay for reuse while their apps have nothing due. */
    private static final int KEPT_QUEUES = 64;
    /** A queue that has held more than this is removed once it is empty: its arrays are large. */
    private static final int KEPT_SIZE = 65_536;

    private static final int FIRST_CAPACITY = 16;

    private final Map<Short, AppQueue> byApp = new HashMap<>();
    private int size;
    private long turns;
    /** The app of every task in the table, if there is just one. */
    private short soleApp = AppHash.UNKNOWN;

    /** The due tasks of one app. */
    private static final class AppQueue {
        private final short app;
        private final TaskHeap due = new TaskHeap(FIRST_CAPACITY);
        private int most;
        /** How many tasks were taken for the current batch. */
        private int taken;
        /** The number of the turn it had last, counted over all apps. */
        private long turn;

        AppQueue(short app) {
            this.app = app;
        }

        int load(AppLoads loads) {
            return loads.count(app) + taken;
        }

        long headUrgency() {
            return due.headTime();
        }
    }

    /** @param app the task's {@link AppHash} */
    void offer(long id, long time, int priority, short app) {
        put(id, Urgency.of(time, priority), priority, app == AppHash.UNKNOWN ? soleApp : app);
    }

    private void put(long id, long urgency, int priority, short app) {
        AppQueue queue = byApp.computeIfAbsent(app, AppQueue::new);
        int before = queue.due.size();
        queue.due.put(id, urgency, priority);
        size += queue.due.size() - before;
        queue.most = Math.max(queue.most, queue.due.size());
    }

    /** The urgency of the most urgent task; {@link Long#MAX_VALUE} if it is empty. */
    long headUrgency() {
        long head = Long.MAX_VALUE;
        for (AppQueue queue : byApp.values()) {
            head = Math.min(head, queue.headUrgency());
        }
        return head;
    }

    /** Begins the next batch. */
    void beginBatch() {
        byApp.values().forEach(queue -> queue.taken = 0);
    }

    /**
     * Moves the next tasks into the arrays, the most urgent of them first.
     *
     * @return how many: at most the length of the arrays
     */
    int drain(long[] intoIds, long[] intoTimes, ClaimRoom room, AppLoads loads) {
        List<AppQueue> waiting = nonEmpty();
        int most = Math.min(intoIds.length, room.all());
        boolean isScarce = size > Math.min(room.soon(), most);
        if (isScarce && waiting.size() + (loads.areSeveral() ? 1 : 0) > 1) {
            return drainFairly(
                    waiting,
                    intoIds,
                    intoTimes,
                    new ClaimRoom(room.soon(), most, room.mostOfApp(), room.leastOfApp()),
                    loads);
        }
        int limit = Math.min(most, Math.max(0, room.soon()));
        return waiting.size() == 1
                ? drain(waiting.get(0), intoIds, intoTimes, limit)
                : drainInOrder(waiting, intoIds, intoTimes, limit);
    }

    private List<AppQueue> nonEmpty() {
        List<AppQueue> queues = new ArrayList<>(byApp.size());
        for (AppQueue queue : byApp.values()) {
            if (queue.due.size() > 0) {
                queues.add(queue);
            }
        }
        return queues;
    }

    private int drain(AppQueue queue, long[] intoIds, long[] intoTimes, int limit) {
        int count = 0;
        while (count < limit && queue.due.size() > 0) {
            take(queue, intoIds, intoTimes, count++);
        }
        return count;
    }

    private int drainInOrder(List<AppQueue> waiting, long[] intoIds, long[] intoTimes, int limit) {
        PriorityQueue<AppQueue> order = new PriorityQueue<>(Comparator.comparingLong(AppQueue::headUrgency));
        order.addAll(waiting);
        int count = 0;
        while (count < limit && !order.isEmpty()) {
            AppQueue next = order.poll();
            take(next, intoIds, intoTimes, count++);
            if (next.due.size() > 0) {
                order.add(next);
            }
        }
        return count;
    }

    private int drainFairly(List<AppQueue> waiting, long[] intoIds, long[] intoTimes, ClaimRoom room, AppLoads loads) {
        int share = room.mostOfApp() / waiting.size();
        PriorityQueue<AppQueue> order =
                new PriorityQueue<>(Comparator.<AppQueue, Boolean>comparing(queue -> queue.load(loads) >= share)
                        .thenComparingLong(queue -> queue.turn)
                        .thenComparingLong(AppQueue::headUrgency));
        order.addAll(waiting);
        TaskHeap picked = new TaskHeap(FIRST_CAPACITY);
        while (picked.size() < room.all() && !order.isEmpty()) {
            AppQueue next = order.poll();
            int most = picked.size() < room.soon() ? room.mostOfApp() : room.leastOfApp();
            if (next.load(loads) >= most) {
                continue;
            }
            picked.put(next.due.headId(), next.headUrgency(), next.due.headPriority());
            pop(next);
            next.turn = ++turns;
            if (next.due.size() > 0) {
                order.add(next);
            }
        }
        int count = picked.size();
        for (int i = 0; i < count; i++) {
            intoIds[i] = picked.headId();
            intoTimes[i] = Urgency.fireMillis(picked.headTime(), picked.headPriority());
            picked.pop();
        }
        return count;
    }

    private void take(AppQueue queue, long[] intoIds, long[] intoTimes, int place) {
        intoIds[place] = queue.due.headId();
        intoTimes[place] = Urgency.fireMillis(queue.due.headTime(), queue.due.headPriority());
        pop(queue);
    }

    private void pop(AppQueue queue) {
        queue.due.pop();
        queue.taken++;
        size--;
        if (queue.due.size() == 0 && (byApp.size() > KEPT_QUEUES || queue.most > KEPT_SIZE)) {
            byApp.remove(queue.app);
        }
    }

    /** How many tasks need their app read before scarce room can be shared fairly; 0 if there is room for all. */
    int unknown(ClaimRoom room) {
        AppQueue unknown = byApp.get(AppHash.UNKNOWN);
        return unknown == null || size <= room.soon() ? 0 : unknown.due.size();
    }

    /** The most urgent tasks whose apps are not known; they stay queued until {@link #setApps} names their apps. */
    long[] peekUnknown(int limit) {
        AppQueue unknown = byApp.get(AppHash.UNKNOWN);
        return unknown == null ? new long[0] : peek(unknown, limit);
    }

    /**
     * Sets the apps of tasks whose apps were not known.
     *
     * @param ids the tasks that were looked for. A task that is not in {@code apps} no longer exists; its claim finds
     *     that out
     */
    void setApps(long[] ids, Map<Long, String> apps) {
        AppQueue unknown = byApp.get(AppHash.UNKNOWN);
        for (long id : ids) {
            long urgency = unknown == null ? Long.MAX_VALUE : unknown.due.timeOf(id);
            if (urgency != Long.MAX_VALUE) {
                int priority = unknown.due.priorityOf(id);
                unknown.due.remove(id);
                size--;
                put(id, urgency, priority, AppHash.of(apps.getOrDefault(id, "")));
            }
        }
    }

    /** Sets the app of all tasks; null if they are of several apps. */
    void setSoleApp(String app) {
        soleApp = app == null ? AppHash.UNKNOWN : AppHash.of(app);
        AppQueue unknown = byApp.get(AppHash.UNKNOWN);
        while (app != null && unknown != null && unknown.due.size() > 0) {
            put(unknown.due.headId(), unknown.headUrgency(), unknown.due.headPriority(), soleApp);
            unknown.due.pop();
            size--;
        }
    }

    private static long[] peek(AppQueue queue, int limit) {
        TaskHeap due = queue.due;
        int count = Math.min(due.size(), limit);
        long[] ids = new long[count];
        long[] urgencies = new long[count];
        byte[] priorities = new byte[count];
        for (int i = 0; i < count; i++) {
            ids[i] = due.headId();
            urgencies[i] = due.headTime();
            priorities[i] = (byte) due.headPriority();
            due.pop();
        }
        for (int i = 0; i < count; i++) {
            due.put(ids[i], urgencies[i], priorities[i]);
        }
        return ids;
    }

    /** The earliest fire time of all tasks; looks at each. */
    long soonestMillis() {
        long soonest = Long.MAX_VALUE;
        for (AppQueue queue : byApp.values()) {
            soonest = Math.min(soonest, queue.due.soonestByUrgency());
        }
        return soonest;
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    void clear() {
        byApp.clear();
        size = 0;
        soleApp = AppHash.UNKNOWN;
    }
}
