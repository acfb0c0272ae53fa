package io.twinbell.node.engine.run;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Predicate;

/**
 * Runs that wait for a worker. Apps take turns, and of an app the most urgent run goes first. While runs of several apps
 * are known, some workers are kept free of each single app, so that an app whose handlers take long does not hold all of
 * them. Knows no lock.
 */
final class AppTurns {
    /** Of apps that have nothing waiting, so many heaps are kept for the next time. */
    private static final int KEPT_APPS = 64;

    private final Map<Short, AppRuns> byApp = new HashMap<>();
    /** Those that have runs waiting. */
    private final Queue<AppRuns> turns = new ArrayDeque<>();

    private int size;

    /** What one app has waiting. */
    private static final class AppRuns {
        private final short app;
        private final RunHeap runs = new RunHeap();

        AppRuns(short app) {
            this.app = app;
        }
    }

    /** Whether one more run of the app may be taken now. */
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

    /** The next run whose app may have one taken; null if there is none. */
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

    /** Moves everything there. */
    void moveTo(AppTurns other) {
        for (AppRuns next : turns) {
            while (next.runs.size() > 0) {
                other.add(next.runs.poll());
            }
        }
        turns.clear();
        size = 0;
    }

    /** Forgets those of which it is true. */
    void removeIf(Predicate<Run> condition) {
        size = 0;
        turns.forEach(next -> {
            next.runs.removeIf(condition);
            size += next.runs.size();
        });
        turns.removeIf(next -> next.runs.size() == 0);
    }
}
