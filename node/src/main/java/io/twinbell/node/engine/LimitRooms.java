package io.twinbell.node.engine;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * Due tasks that wait for room under a limit, the most urgent first. Their slots are not claimed: what waits for too long
 * becomes a misfire like anything else that is late. Claimer's thread only.
 */
final class LimitRooms {
    private final Limits limits;
    private final Map<String, TaskHeap> byKey = new HashMap<>();

    LimitRooms(Limits limits) {
        this.limits = limits;
    }

    void clear() {
        byKey.clear();
    }

    /** The task's slot of that fire time has no room under the key. */
    void add(String key, long taskId, long fireMillis, int priority) {
        byKey.computeIfAbsent(key, none -> new TaskHeap()).put(taskId, Urgency.of(fireMillis, priority), priority);
    }

    /** Whom there is room for. */
    interface LetIn {
        void task(long taskId);
    }

    /**
     * Takes out as many tasks as there is room for, but none that were let in and found another limit in their way.
     *
     * @param most of all keys together
     * @return how many
     */
    int letIn(long nowMillis, int most, LetIn letIn) {
        int in = 0;
        Iterator<Map.Entry<String, TaskHeap>> rooms = byKey.entrySet().iterator();
        while (rooms.hasNext() && in < most) {
            Map.Entry<String, TaskHeap> room = rooms.next();
            TaskHeap waiting = room.getValue();
            int free = Math.min(limits.room(room.getKey(), nowMillis), most - in);
            for (; free > 0 && waiting.size() > 0; free--) {
                long id = waiting.headId();
                waiting.pop();
                letIn.task(id);
                in++;
            }
            if (waiting.size() == 0) {
                rooms.remove();
            }
        }
        return in;
    }

    /** When a rate limit will let somebody in; {@link Long#MAX_VALUE} if none is in anybody's way. */
    long nextMillis(long nowMillis) {
        return byKey.keySet().stream()
                .mapToLong(key -> limits.nextMillis(key, nowMillis))
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** How many tasks wait. */
    int size() {
        return byKey.values().stream().mapToInt(TaskHeap::size).sum();
    }
}
