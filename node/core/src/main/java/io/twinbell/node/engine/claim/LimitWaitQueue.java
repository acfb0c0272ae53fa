package io.twinbell.node.engine.claim;

import static java.util.Comparator.comparingLong;

import io.twinbell.node.engine.run.Limits;
import io.twinbell.node.engine.run.Urgency;
import io.twinbell.node.engine.trigger.TaskHeap;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Queue of due tasks that wait for a limit, the most urgent first. Their slots are not claimed, so a slot that waits
 * too long becomes a misfire like any late slot. Claimer's thread only.
 */
final class LimitWaitQueue {
    private final Limits limits;
    private final Map<String, TaskHeap> byKey = new HashMap<>();
    private final PriorityQueue<OpenLimit> open =
            new PriorityQueue<>(comparingLong(room -> room.waiting().headTime()));

    private record OpenLimit(TaskHeap waiting, int free) {}

    LimitWaitQueue(Limits limits) {
        this.limits = limits;
    }

    void clear() {
        byKey.clear();
        open.clear();
    }

    /** Adds the task's slot of that fire time, because it has no room under the key. */
    void add(String key, long taskId, long fireMillis, int priority) {
        byKey.computeIfAbsent(key, none -> new TaskHeap()).put(taskId, Urgency.of(fireMillis, priority), priority);
    }

    /**
     * Reads which limits have room now. Until the next call {@link #takeHead} takes no more tasks of a key than fit in.
     */
    void open(long nowMillis) {
        open.clear();
        byKey.values().removeIf(waiting -> waiting.size() == 0);
        byKey.forEach((key, waiting) -> {
            int free = limits.room(key, nowMillis);
            if (free > 0) {
                open.add(new OpenLimit(waiting, free));
            }
        });
    }

    /** The {@link Urgency} of the most urgent task that there is room for; {@link Long#MAX_VALUE} if there is none. */
    long headUrgency() {
        return open.isEmpty() ? Long.MAX_VALUE : open.peek().waiting().headTime();
    }

    /** Takes the most urgent task that there is room for. It may no longer wait, if it was changed meanwhile. */
    long takeHead() {
        OpenLimit room = open.remove();
        long id = room.waiting().headId();
        room.waiting().pop();
        if (room.free() > 1 && room.waiting().size() > 0) {
            open.add(new OpenLimit(room.waiting(), room.free() - 1));
        }
        return id;
    }

    /** When a rate limit will next have room; {@link Long#MAX_VALUE} if no task waits for a rate limit. */
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
