package io.twinbell.node.engine.run;

import java.util.ArrayList;
import java.util.List;

/** The runs of one task in this process, in one object so that a start finds them with a single lookup. Any thread. */
final class TaskRuns {
    /** Boxed once, as the key of maps that every start reads. */
    private final Long task;

    private volatile List<Run> unfinished;
    private int running;
    private boolean forgotten;

    TaskRuns(long task, List<Run> held) {
        this.task = task;
        this.unfinished = held;
    }

    Long task() {
        return task;
    }

    /** The runs that have no durable outcome yet. */
    List<Run> unfinished() {
        return unfinished;
    }

    /**
     * Adds a run; returns false if this object is no longer in use and another one has its place.
     *
     * @param replaced a run to remove; null for none
     */
    synchronized boolean add(Run run, Run replaced) {
        if (forgotten) {
            return false;
        }
        List<Run> all = new ArrayList<>(unfinished);
        all.remove(replaced);
        all.add(run);
        unfinished = all;
        return true;
    }

    synchronized void remove(Run run) {
        if (unfinished.size() == 1 && unfinished.get(0) == run) {
            unfinished = List.of();
            return;
        }
        List<Run> others = new ArrayList<>(unfinished);
        others.remove(run);
        unfinished = others;
    }

    /** Counts one more running; returns false if one is running already and must not be overlapped. */
    synchronized boolean enter(boolean mayOverlap) {
        boolean mayRun = mayOverlap || running == 0;
        running += mayRun ? 1 : 0;
        return mayRun;
    }

    synchronized void exit() {
        running--;
    }

    /** Returns true if there is no run left; this object is never used again then. */
    boolean forgetIfUnused() {
        return unfinished.isEmpty() && forget();
    }

    private synchronized boolean forget() {
        forgotten = forgotten || unfinished.isEmpty() && running == 0;
        return forgotten;
    }
}
