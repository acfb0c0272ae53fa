package io.twinbell.node.engine.run;

import io.twinbell.persistence.epoch.Epoch;
import java.util.function.BiConsumer;

/** Notices the first handler that starts under an epoch: only then has a promotion been worth anything. */
public final class FirstFire {
    private volatile Waiting waiting;
    private volatile BiConsumer<Epoch, Long> onFirst = (epoch, micros) -> {};

    /** An epoch under which nothing has started yet; its first page was in at that instant. */
    private record Waiting(Epoch epoch, long pageMillis) {}

    /** Who is told of the epoch and of how long it took, in microseconds; on the worker's thread, so it must return at once. */
    public void tells(BiConsumer<Epoch, Long> listener) {
        onFirst = listener;
    }

    public void begin(Epoch epoch, long nowMillis) {
        waiting = new Waiting(epoch, nowMillis);
    }

    /** A slot that was due later could not start sooner, and one that is tried again waited for something else. */
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
