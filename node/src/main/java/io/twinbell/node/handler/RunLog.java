package io.twinbell.node.handler;

import java.util.List;
import org.slf4j.MDC;

/** Whatever is logged for an attempt says whose it is: task, slot, attempt, epoch and node, in the log's context (MDC). */
final class RunLog {
    private static final List<String> KEYS = List.of("task", "slot", "attempt", "epoch", "node");

    private RunLog() {}

    /** From here on, on this thread, until {@link #leave}. */
    static void enter(Call call) {
        MDC.put("task", call.app() + "/" + call.name());
        MDC.put("slot", call.slot().idempotencyKey());
        MDC.put("attempt", Integer.toString(call.attempt()));
        MDC.put("epoch", Long.toString(call.epoch().number()));
        MDC.put("node", call.epoch().node());
    }

    static void leave() {
        KEYS.forEach(MDC::remove);
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
