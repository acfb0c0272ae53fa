package io.twinbell.node.engine.claim;

import io.twinbell.node.engine.trigger.LookAhead;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;

/**
 * Isolates the task that makes a claim fail for a reason other than an outage: claims get smaller until that task is
 * alone. That task is delayed, each time for twice as long, and the others are claimed. A delayed slot stays due, and
 * is counted as late. Claimer's thread only, except where noted.
 */
public final class ClaimIsolation {
    public static final long FIRST_PUT_OFF_MILLIS = Duration.ofSeconds(1).toMillis();
    static final long LONGEST_PUT_OFF_MILLIS = Duration.ofSeconds(30).toMillis();
    /** A task that has not been claimed this long after its delay is removed, paused or moved. */
    private static final long GONE_AFTER_MILLIS = Duration.ofMinutes(1).toMillis();

    private static final int MAX_TASKS = 10_000;

    private final int most;
    private final Loop loop;
    private final Map<Long, DelayedTask> putOff = new HashMap<>();
    private volatile long soonestMillis = Long.MAX_VALUE;
    private int atOnce;

    /** @param fireMillis the first slot that could not be claimed */
    private record DelayedTask(long fireMillis, long delayMillis, long untilMillis) {}

    ClaimIsolation(int most, Loop loop) {
        this.most = most;
        this.loop = loop;
        atOnce = most;
    }

    /** Forgets everything for a new epoch. */
    void clear() {
        atOnce = most;
        putOff.clear();
        soonestMillis = Long.MAX_VALUE;
    }

    /** How many slots may be claimed together. */
    int atOnce() {
        return atOnce;
    }

    void claimed(List<DecidedSlot> claims) {
        atOnce = Math.min(most, 2 * atOnce);
        if (!putOff.isEmpty()) {
            Set<Long> tasks = claims.stream().map(DecidedSlot::taskId).collect(Collectors.toSet());
            forget((task, put) -> tasks.contains(task));
        }
    }

    /**
     * Handles a failed claim of these slots. A database outage does not count against them.
     *
     * @param due fire times by task
     */
    void failed(Map<Long, Long> due, DatabaseUnavailableException failure, long nowMillis) {
        if (failure.isOutage()) {
            return;
        }
        atOnce = Math.max(1, due.size() / 2);
        if (due.size() == 1) {
            due.forEach((task, fireMillis) -> putOff(task, fireMillis, failure, nowMillis));
        }
    }

    /** Delays the task, longer each time. */
    private void putOff(long task, long fireMillis, DatabaseUnavailableException failure, long nowMillis) {
        if (putOff.size() >= MAX_TASKS) {
            putOff.clear();
        }
        DelayedTask before = putOff.get(task);
        long delay = before == null ? FIRST_PUT_OFF_MILLIS : Math.min(2 * before.delayMillis(), LONGEST_PUT_OFF_MILLIS);
        long since = before == null ? fireMillis : before.fireMillis();
        putOff.put(task, new DelayedTask(since, delay, nowMillis + delay));
        soonestMillis = soonest();
        loop.setAside(
                "the claim of task " + task + " for " + Duration.ofMillis(delay).toSeconds() + " s", failure);
    }

    /**
     * Until when the task is delayed; null if it may be claimed. The answer is already null {@link LookAhead#LONGEST}
     * before that time, because the trigger sends tasks ahead of their time. A task that is delayed again to the same
     * time would be sent back at once, in a loop.
     */
    Long putOffUntil(long task, long nowMillis) {
        DelayedTask found = putOff.isEmpty() ? null : putOff.get(task);
        return found == null || found.untilMillis() <= nowMillis + LookAhead.LONGEST.toMillis()
                ? null
                : found.untilMillis();
    }

    /** The fire time of the oldest delayed slot; {@link Long#MAX_VALUE} for none. Any thread. */
    long soonestMillis() {
        return soonestMillis;
    }

    /** Forgets tasks that were removed, paused or given another time since. */
    void step(long nowMillis) {
        forget((task, put) -> put.untilMillis() + GONE_AFTER_MILLIS < nowMillis);
    }

    private void forget(BiPredicate<Long, DelayedTask> which) {
        if (putOff.entrySet().removeIf(each -> which.test(each.getKey(), each.getValue()))) {
            soonestMillis = soonest();
        }
    }

    private long soonest() {
        return putOff.values().stream().mapToLong(DelayedTask::fireMillis).min().orElse(Long.MAX_VALUE);
    }
}
