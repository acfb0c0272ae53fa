package io.twinbell.node.engine.run;

import io.twinbell.persistence.epoch.Epoch;
import java.util.function.ObjLongConsumer;

/** Reports the first handler that starts under an epoch, and how long that took. Only then is a promotion complete. */
public final class FirstFire {
    private final ObjLongConsumer<Epoch> onFirstFire;
    private volatile Waiting waiting;

    /** An epoch under which nothing has started yet, and when its first page was read. */
    private record Waiting(Epoch epoch, long pageMillis) {}

    /**
     * @param onFirstFire gets the epoch, and how long after the earliest possible time the handler started, in
     *     microseconds. Called on the worker's thread, so it must return at once
     */
    public FirstFire(ObjLongConsumer<Epoch> onFirstFire) {
        this.onFirstFire = onFirstFire;
    }

    public void begin(Epoch epoch, long nowMillis) {
        waiting = new Waiting(epoch, nowMillis);
    }

    /**
     * For a slot that was due after the first page was read, the time counts from its fire time. A retried run waited
     * for other reasons, so it does not count.
     */
    public void started(Run run) {
        Waiting current = waiting;
        if (current != null && current.epoch().equals(run.epoch()) && !run.waitsItsTurn() && isTheFirst(current)) {
            long possibleMillis = Math.max(current.pageMillis(), run.slot().fireTimeMillis());
            onFirstFire.accept(current.epoch(), Math.max(0, run.startedMicros() - possibleMillis * 1000));
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
