package io.twinbell.node.engine;

import java.util.List;

/**
 * Runs that wait for a worker, the most urgent first. It has no bound of its own: the claims have. Thousands come at one
 * instant, and each is held for less than it takes to put a thread to sleep; so this is a monitor, for which threads spin
 * before they do, and whoever takes a run wakes the next for what is left.
 */
final class RunQueue {
    private RunHeap waiting = new RunHeap();
    private int idle;
    private RunHeap prepared = new RunHeap();

    synchronized void addAll(List<Run> runs) {
        add(runs, waiting);
        wakeNext();
    }

    /** Not yet to be taken. */
    synchronized void prepare(List<Run> runs) {
        add(runs, prepared);
    }

    /** Has what was prepared taken from now on. */
    synchronized void addPrepared() {
        if (waiting.size() < prepared.size()) {
            RunHeap fewer = waiting;
            waiting = prepared;
            prepared = fewer;
        }
        while (prepared.size() > 0) {
            waiting.add(prepared.headKey(), prepared.poll());
        }
        wakeNext();
    }

    private static void add(List<Run> runs, RunHeap to) {
        for (Run run : runs) {
            if (run.isWaiting()) {
                to.add(run.urgency(), run);
            }
        }
    }

    /** Waits until there is one; a thread that was interrupted takes none. */
    synchronized Run take() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        while (waiting.size() == 0) {
            idle++;
            try {
                wait();
            } finally {
                idle--;
            }
        }
        Run run = waiting.poll();
        wakeNext();
        return run;
    }

    private void wakeNext() {
        if (idle > 0 && waiting.size() > 0) {
            notify();
        }
    }

    /** Those that have been given back meanwhile. */
    synchronized void forgetHandedBack() {
        waiting.removeIf(run -> !run.isWaiting());
        prepared.removeIf(run -> !run.isWaiting());
    }

    synchronized int size() {
        return waiting.size();
    }
}
