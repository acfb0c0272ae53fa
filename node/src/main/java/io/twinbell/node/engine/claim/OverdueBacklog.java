package io.twinbell.node.engine.claim;

import io.twinbell.node.engine.run.InFlight;
import io.twinbell.node.task.Misfire;
import io.twinbell.node.task.Overlap;
import io.twinbell.node.task.TaskDefinition;
import io.twinbell.persistence.ledger.Claim;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Overdue slots are claimed one after the other, each when the run before it has ended: after a takeover the slots of
 * one task do not all start at once, to be skipped for each other's sake. Claimer's thread only.
 */
public final class OverdueBacklog {
    /** The end of a run is told; this is for one that is not, and for a row that somebody holds. */
    private static final long LOOK_AGAIN_MILLIS = Duration.ofSeconds(1).toMillis();

    private static final long RARELY_MILLIS = Duration.ofHours(1).toMillis();

    private final InFlight inFlight;
    private final Map<Long, Postponed> postponed = new HashMap<>();
    private final Map<Long, Integer> oldestLeft = new HashMap<>();
    /** Where the backlog of a task ends that runs slot after slot; what came due later is a matter of its overlap policy. */
    private final Map<Long, Long> endByTask = new HashMap<>();

    private record Postponed(long untilMillis, long fireMillis) {}

    OverdueBacklog(InFlight inFlight) {
        this.inFlight = inFlight;
    }

    void clear() {
        postponed.clear();
        oldestLeft.clear();
        endByTask.clear();
    }

    /** The task is not there any more. */
    void forget(long taskId) {
        postponed.remove(taskId);
        oldestLeft.remove(taskId);
        endByTask.remove(taskId);
    }

    /** The fire time that the heap's entry stands for: a postponed slot is there under the instant of the next look. */
    long fireTime(long taskId, long heapTime) {
        Postponed waiting = postponed.remove(taskId);
        return waiting != null && waiting.untilMillis() == heapTime ? waiting.fireMillis() : heapTime;
    }

    /** Whether the slot has to wait for a run of its task that is under way; its end will be told. */
    boolean mustWait(long taskId, long fireMillis, TaskDefinition definition, long nowMillis) {
        if (fireMillis >= nowMillis) {
            endByTask.remove(taskId);
        }
        long began = inFlight.latestStart(taskId);
        boolean waits = waits(definition, fireMillis, nowMillis, began)
                && (isMisfire(definition, fireMillis, nowMillis) || fireMillis < end(taskId, began, nowMillis));
        // The run may have ended between the two looks, and would have told nobody.
        return waits && inFlight.tellEnd(taskId);
    }

    /**
     * The first run of a backlog tells where it ends. If each further one told anew, a task whose runs take longer than its
     * interval would never catch up: what came due during one run would be overdue before the next.
     */
    private long end(long taskId, long beganMillis, long nowMillis) {
        return endByTask.computeIfAbsent(taskId, id -> Math.min(beganMillis, nowMillis));
    }

    /** Puts the slot off; returns the time under which it goes into the heap meanwhile. */
    long postpone(long taskId, long fireMillis, long nowMillis) {
        return postponeUntil(taskId, fireMillis, nowMillis + LOOK_AGAIN_MILLIS);
    }

    /** The same for one that waits for room under a limit, and will be told. */
    long postponeLong(long taskId, long fireMillis, long nowMillis) {
        return postponeUntil(taskId, fireMillis, nowMillis + RARELY_MILLIS);
    }

    /** The same until then. */
    long postponeUntil(long taskId, long fireMillis, long untilMillis) {
        postponed.put(taskId, new Postponed(untilMillis, fireMillis));
        return untilMillis;
    }

    /** The fire time of a slot that was put off, which is no more; {@link Claim#NONE} if it was not. */
    long takePostponed(long taskId) {
        Postponed waiting = postponed.remove(taskId);
        return waiting == null ? Claim.NONE : waiting.fireMillis();
    }

    /**
     * A slot that was due before the latest run of its task started is part of a backlog. One that came due during that
     * run is not: it would have started then, and its overlap policy decides.
     */
    public static boolean waits(TaskDefinition definition, long fireMillis, long nowMillis, long latestStartMillis) {
        if (fireMillis >= nowMillis || fireMillis >= latestStartMillis) {
            return false;
        }
        return isMisfire(definition, fireMillis, nowMillis)
                ? definition.misfire().policy() == Misfire.Policy.FIRE_ALL
                : definition.overlap() != Overlap.ALLOW;
    }

    /** How many more of its oldest overdue slots the task may run. A successor begins to count anew. */
    int oldestLeft(long taskId, TaskDefinition definition) {
        return oldestLeft.getOrDefault(taskId, definition.misfire().max());
    }

    /** The slot was entered in the ledger; the count ends with the first that is not a late run. */
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
