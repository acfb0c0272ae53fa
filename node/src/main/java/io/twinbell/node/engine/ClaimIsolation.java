package io.twinbell.node.engine;

import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Makes claims smaller after one that failed for a reason of its own, so that what fails is alone in the end. That task is
 * put off for a while, and the others are claimed. Claimer's thread only.
 */
final class ClaimIsolation {
    static final long PUT_OFF_MILLIS = Duration.ofSeconds(30).toMillis();
    private static final int MOST = 10_000;

    private final int most;
    private final Loop loop;
    private final Map<Long, Long> untilMillis = new HashMap<>();
    private int atOnce;

    ClaimIsolation(int most, Loop loop) {
        this.most = most;
        this.loop = loop;
        atOnce = most;
    }

    /** A new epoch. */
    void clear() {
        atOnce = most;
        untilMillis.clear();
    }

    /** How many may be claimed together. */
    int atOnce() {
        return atOnce;
    }

    void claimed() {
        atOnce = Math.min(most, 2 * atOnce);
    }

    /** The claim of these tasks failed. A database that is away is no fault of theirs. */
    void failed(Set<Long> tasks, DatabaseUnavailableException failure, long nowMillis) {
        if (failure.isOutage()) {
            return;
        }
        atOnce = Math.max(1, tasks.size() / 2);
        if (tasks.size() == 1) {
            if (untilMillis.size() >= MOST) {
                untilMillis.clear();
            }
            tasks.forEach(task -> untilMillis.put(task, nowMillis + PUT_OFF_MILLIS));
            loop.setAside("the claim of task " + tasks.iterator().next() + " for half a minute", failure);
        }
    }

    /** Until when the task is put off; null if it may be claimed. */
    Long putOffUntil(long task, long nowMillis) {
        if (untilMillis.isEmpty()) {
            return null;
        }
        Long until = untilMillis.get(task);
        if (until != null && until <= nowMillis) {
            untilMillis.remove(task);
            return null;
        }
        return until;
    }
}
