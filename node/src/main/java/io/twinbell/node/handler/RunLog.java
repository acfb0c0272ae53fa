package io.twinbell.node.handler;

import java.util.Map;
import org.slf4j.MDC;

/** Whatever is logged for an attempt says whose it is: task, slot, attempt, epoch and node, in the log's context (MDC). */
final class RunLog {
    private RunLog() {}

    /** From here on, on this thread, until {@link #leave}. */
    static void enter(Call call) {
        // At once: each start and each end of a run comes here.
        MDC.setContextMap(Map.of(
                "task", call.app() + "/" + call.name(),
                "slot", call.slot().idempotencyKey(),
                "attempt", Integer.toString(call.attempt()),
                "epoch", Long.toString(call.epoch().number()),
                "node", call.epoch().node()));
    }

    /** The threads are Twinbell's own: nothing else is in their context. */
    static void leave() {
        MDC.clear();
    }

    /** The work, with the context of this call on whatever thread it runs. */
    static Runnable during(Call call, Runnable work) {
        return () -> {
            enter(call);
            try {
                work.run();
            } finally {
                leave();
            }
        };
    }
}
