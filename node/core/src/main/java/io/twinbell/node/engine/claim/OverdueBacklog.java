package io.twinbell.node.engine.claim;

import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.task.Misfire;
import io.twinbell.node.engine.task.Overlap;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Makes the overdue slots of a task wait for each other: each is claimed when the run before it has ended. Otherwise
 * all of them would start at once after a takeover, and would be skipped because they overlap. Claimer's thread only.
 */
public final class OverdueBacklog {
    /** The interval of checks on a task whose run's end was not reported, or whose row is locked. */
    private static final long LOOK_AGAIN_MILLIS = Duration.ofSeconds(1).toMillis();

    private static final long RARELY_MILLIS = Duration.ofHours(1).toMillis();

    private final RunRegistry registry;
    private final Map<Long, PostponedTask> postponed = new HashMap<>();
    private final Map<Long, Integer> oldestLeft = new HashMap<>();
    /**
     * The end of each task's backlog that is run slot by slot. The overlap policy applies to slots that came due later.
     */
    private final Map<Long, Long> endByTask = new HashMap<>();

    private record PostponedTask(long untilMillis, long fireMillis) {}

    OverdueBacklog(RunRegistry registry) {
        this.registry = registry;
    }

    void clear() {
        postponed.clear();
        oldestLeft.clear();
        endByTask.clear();
    }

    /** Forgets a task that no longer exists. */
    void forget(long taskId) {
        postponed.remove(taskId);
        oldestLeft.remove(taskId);
        endByTask.remove(taskId);
    }

    /** The fire time of a heap entry: a postponed slot is in the heap under the time of the next look. */
    long fireTime(long taskId, long heapTime) {
        PostponedTask waiting = postponed.remove(taskId);
        return waiting != null && waiting.untilMillis() == heapTime ? waiting.fireMillis() : heapTime;
    }

    /**
     * Whether the slot has to wait for a run of its task that is under way. If so, the end of that run will wake the
     * claimer.
     */
    boolean mustWait(long taskId, long fireMillis, TaskDefinition definition, long nowMillis) {
        if (fireMillis >= nowMillis) {
            endByTask.remove(taskId);
        }
        long began = registry.latestStart(taskId);
        boolean waits = waits(definition, fireMillis, nowMillis, began)
                && (isMisfire(definition, fireMillis, nowMillis) || fireMillis < end(taskId, began, nowMillis));
        // The run may have ended between the two checks, without a report.
        return waits && registry.requestEndCallback(taskId);
    }

    /**
     * The end of the backlog, which its first run sets. Further runs do not move it: otherwise a task whose runs take
     * longer than its interval would never catch up, because slots that come due during one run are overdue before the
     * next.
     */
    private long end(long taskId, long beganMillis, long nowMillis) {
        return endByTask.computeIfAbsent(taskId, id -> Math.min(beganMillis, nowMillis));
    }

    /** Postpones the slot for a second; returns the time under which it goes into the heap meanwhile. */
    long postpone(long taskId, long fireMillis, long nowMillis) {
        return postponeUntil(taskId, fireMillis, nowMillis + LOOK_AGAIN_MILLIS);
    }

    /** As {@link #postpone}, for a slot that waits for a limit and will be let in by an event. */
    long postponeLong(long taskId, long fireMillis, long nowMillis) {
        return postponeUntil(taskId, fireMillis, nowMillis + RARELY_MILLIS);
    }

    /** As {@link #postpone}, until the given time. */
    long postponeUntil(long taskId, long fireMillis, long untilMillis) {
        postponed.put(taskId, new PostponedTask(untilMillis, fireMillis));
        return untilMillis;
    }

    /** Removes a postponed slot and returns its fire time; {@link DecidedSlot#NONE} if there was none. */
    long takePostponed(long taskId) {
        PostponedTask waiting = postponed.remove(taskId);
        return waiting == null ? DecidedSlot.NONE : waiting.fireMillis();
    }

    /**
     * A slot that was due before the latest run of its task started is part of a backlog. A slot that came due during
     * that run is not: it would have started then, so its overlap policy decides.
     */
    public static boolean waits(TaskDefinition definition, long fireMillis, long nowMillis, long latestStartMillis) {
        if (fireMillis >= nowMillis || fireMillis >= latestStartMillis) {
            return false;
        }
        return isMisfire(definition, fireMillis, nowMillis)
                ? definition.misfire().policy() == Misfire.Policy.FIRE_ALL
                : definition.overlap() != Overlap.ALLOW;
    }

    /** How many more of its oldest overdue slots the task may run. A new master starts the count again. */
    int oldestLeft(long taskId, TaskDefinition definition) {
        return oldestLeft.getOrDefault(taskId, definition.misfire().max());
    }

    /** Counts a slot that was entered in the ledger. The first slot that is not a late run ends the count. */
    void entered(long taskId, TaskDefinition definition, long fireMillis, long nowMillis, boolean runs) {
        boolean counts = definition.misfire().policy() == Misfire.Policy.FIRE_ALL
                && definition.misfire().order() == Misfire.Order.OLDEST;
        if (counts && runs && isMisfire(definition, fireMillis, nowMillis)) {
            oldestLeft.put(taskId, oldestLeft(taskId, definition) - 1);
        } else if (counts) {
            oldestLeft.remove(taskId);
        }
    }

    private static boolean isMisfire(TaskDefinition definition, long fireMillis, long nowMillis) {
        return nowMillis - fireMillis > definition.misfire().threshold().toMillis();
    }
}
