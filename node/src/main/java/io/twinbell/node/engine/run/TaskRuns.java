package io.twinbell.node.engine.run;

import java.util.ArrayList;
import java.util.List;

/** What this process holds of one task, so that a start finds all of it in one place. Any thread. */
final class TaskRuns {
    /** As a key of maps, which each start looks into. */
    private final Long task;

    private volatile List<Run> held;
    private int running;
    private boolean forgotten;

    TaskRuns(long task, List<Run> held) {
        this.task = task;
        this.held = held;
    }

    Long task() {
        return task;
    }

    /** Those that have no durable outcome yet. */
    List<Run> held() {
        return held;
    }

    /**
     * Returns false if these are forgotten: others have their place.
     *
     * @param replaced leaves for it; null for none
     */
    synchronized boolean add(Run run, Run replaced) {
        if (forgotten) {
            return false;
        }
        List<Run> all = new ArrayList<>(held);
        all.remove(replaced);
        all.add(run);
        held = all;
        return true;
    }

    synchronized void remove(Run run) {
        if (held.size() == 1 && held.get(0) == run) {
            held = List.of();
            return;
        }
        List<Run> others = new ArrayList<>(held);
        others.remove(run);
        held = others;
    }

    /** One more runs; false if one does already and this is not to run beside it. */
    synchronized boolean enter(boolean mayOverlap) {
        boolean mayRun = mayOverlap || running == 0;
        running += mayRun ? 1 : 0;
        return mayRun;
    }

    synchronized void exit() {
        running--;
    }

    /** True if nothing is held and nothing runs; these are never used again then. */
    boolean forgetIfUnused() {
        return held.isEmpty() && forget();
    }

    private synchronized boolean forget() {
        forgotten = forgotten || held.isEmpty() && running == 0;
        return forgotten;
    }
}
