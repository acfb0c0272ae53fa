package io.twinbell.node.handler;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import java.util.HashMap;
import org.slf4j.MDC;

/**
 * Whatever is logged for an attempt says whose it is: task, slot, attempt, epoch and node, in the log's context (MDC). The
 * texts are written ahead of the start, in whose way they would be.
 */
public final class RunLog {
    private final String task;
    private final String slot;
    private final String attempt;
    private final String epoch;
    private final String node;

    public RunLog(String app, String name, Slot slot, int attempt, Epoch epoch) {
        task = app + "/" + name;
        this.slot = slot.idempotencyKey();
        this.attempt = Integer.toString(attempt);
        this.epoch = Long.toString(epoch.number());
        node = epoch.node();
    }

    /** From here on, on this thread, until {@link #leave}. */
    void enter() {
        // All at once, and in the kind of map that is cheapest to copy and, by its own type, to fill: each start comes
        // here.
        HashMap<String, String> context = new HashMap<>();
        context.put("task", task);
        context.put("slot", slot);
        context.put("attempt", attempt);
        context.put("epoch", epoch);
        context.put("node", node);
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
