package io.twinbell.node.engine.run;

import io.twinbell.persistence.epoch.Epoch;
import java.util.function.BiConsumer;

/** Reports the first handler that starts under an epoch, and how long it took: a promotion is complete only then. */
public final class FirstFire {
    private volatile Waiting waiting;
    private volatile BiConsumer<Epoch, Long> onFirst = (epoch, micros) -> {};

    /** An epoch under which nothing has started yet, and when its first page was read. */
    private record Waiting(Epoch epoch, long pageMillis) {}

    /**
     * Sets the callback with the epoch and the duration in microseconds. It runs on the worker's thread, so it must
     * return at once.
     */
    public void tells(BiConsumer<Epoch, Long> listener) {
        onFirst = listener;
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
            onFirst.accept(current.epoch(), Math.max(0, run.startedMicros() - possibleMillis * 1000));
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
