package io.twinbell.node.engine.run;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Predicate;

/**
 * Orders runs that wait for a worker: apps take turns, and within an app the most urgent run goes first. While there
 * are runs of several apps, each single app is denied some workers, so that an app with slow handlers does not occupy
 * all of them. Not thread-safe.
 */
final class AppRoundRobin {
    /** Up to this many heaps stay for reuse while their apps have no run waiting. */
    private static final int KEPT_APPS = 64;

    private final Map<Short, AppRuns> byApp = new HashMap<>();
    /** The apps that have runs waiting, in the order of their turns. */
    private final Queue<AppRuns> turns = new ArrayDeque<>();

    private int size;

    /** The waiting runs of one app. */
    private static final class AppRuns {
        private final short app;
        private final RunHeap runs = new RunHeap();

        AppRuns(short app) {
            this.app = app;
        }
    }

    /** Tells whether one more run of the app may be taken now. */
    @FunctionalInterface
    interface Allowance {
        boolean allows(short app);
    }

    int size() {
        return size;
    }

    /** How many apps have runs waiting. */
    int apps() {
        return turns.size();
    }

    /** The least {@link Urgency} of all, or {@link Long#MAX_VALUE}. */
    long headKey() {
        long head = Long.MAX_VALUE;
        for (AppRuns next : turns) {
            head = Math.min(head, next.runs.headKey());
        }
        return head;
    }

    void add(Run run) {
        AppRuns ofApp = byApp.computeIfAbsent(run.app(), AppRuns::new);
        if (ofApp.runs.size() == 0) {
            turns.add(ofApp);
        }
        ofApp.runs.add(run.urgency(), run);
        size++;
    }

    boolean isAnyAllowed(Allowance allowance) {
        for (AppRuns next : turns) {
            if (allowance.allows(next.app)) {
                return true;
            }
        }
        return false;
    }

    /** The next run whose app is allowed one; null if there is none. */
    Run poll(Allowance allowance) {
        for (int looked = turns.size(); looked > 0; looked--) {
            AppRuns next = turns.remove();
            if (!allowance.allows(next.app)) {
                turns.add(next);
                continue;
            }
            Run run = next.runs.poll();
            size--;
            if (next.runs.size() > 0) {
                turns.add(next);
            } else if (byApp.size() > KEPT_APPS) {
                byApp.remove(next.app);
            }
            return run;
        }
        return null;
    }

    /** Moves all runs to the other queue. */
    void moveTo(AppRoundRobin other) {
        for (AppRuns next : turns) {
            while (next.runs.size() > 0) {
                other.add(next.runs.poll());
            }
        }
        turns.clear();
        size = 0;
    }

    /** Removes the runs for which the condition is true. */
    void removeIf(Predicate<Run> condition) {
        size = 0;
        turns.forEach(next -> {
            next.runs.removeIf(condition);
            size += next.runs.size();
        });
        turns.removeIf(next -> next.runs.size() == 0);
    }
}
