package io.twinbell.node.handler;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import java.util.HashMap;
import org.slf4j.MDC;

/**
 * Whatever is logged for an attempt says whose it is: task, slot, attempt, epoch and node, in the log's context (MDC). All
 * of it is made ahead of the start, in whose way it would be.
 */
public final class RunLog {
    private static final int ENTRIES = 5;

    /** What a start copies: of the kind that is copied fastest, no larger than it must be, and never changed. */
    private final HashMap<String, String> context = new HashMap<>(ENTRIES * 4 / 3 + 1);

    public RunLog(String app, String name, Slot slot, int attempt, Epoch epoch) {
        context.put("task", app + "/" + name);
        context.put("slot", slot.idempotencyKey());
        context.put("attempt", Integer.toString(attempt));
        context.put("epoch", Long.toString(epoch.number()));
        context.put("node", epoch.node());
    }

    /** From here on, on this thread, until {@link #leave}. */
    void enter() {
        MDC.setContextMap(context);
    }

    /** The threads are Twinbell's own: nothing else is in their context. */
    static void leave() {
        MDC.clear();
    }

    /** The work, with this context on whatever thread it runs. */
    Runnable during(Runnable work) {
        return () -> {
            enter();
            try {
                work.run();
            } finally {
                leave();
            }
        };
    }
}
