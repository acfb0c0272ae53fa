package io.twinbell.node.engine.run;

import io.twinbell.persistence.epoch.Epoch;

/** Reports the first handler that starts under an epoch, and how long it took: a promotion is complete only then. */
public final class FirstFire {
    private final Listener listener;
    private volatile Waiting waiting;

    /** Receives the first start under an epoch. Called on the worker's thread, so it must return at once. */
    @FunctionalInterface
    public interface Listener {
        /** @param micros the time from which the handler could have started until it did, in microseconds */
        void firstFired(Epoch epoch, long micros);
    }

    /** An epoch under which nothing has started yet, and when its first page was read. */
    private record Waiting(Epoch epoch, long pageMillis) {}

    public FirstFire(Listener listener) {
        this.listener = listener;
    }

    public void begin(Epoch epoch, long nowMillis) {
        waiting = new Waiting(epoch, nowMillis);
    }

    /**
     * A slot due later could not start sooner, and a retried run waited for other reasons, so neither counts as delay.
     */
    public void started(Run run) {
        Waiting current = waiting;
        if (current != null && current.epoch().equals(run.epoch()) && !run.waitsItsTurn() && isTheFirst(current)) {
            long possibleMillis = Math.max(current.pageMillis(), run.slot().fireTimeMillis());
            listener.firstFired(current.epoch(), Math.max(0, run.startedMicros() - possibleMillis * 1000));
        }
    }

    private synchronized boolean isTheFirst(Waiting current) {
        boolean isFirst = waiting == current;
        if (isFirst) {
            waiting = null;
        }
        return isFirst;
    }
}
