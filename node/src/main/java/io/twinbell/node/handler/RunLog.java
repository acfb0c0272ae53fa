package io.twinbell.node.handler;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import org.slf4j.MDC;

/**
 * Whatever is logged for an attempt says whose it is: task, slot, attempt, epoch and node, in the log's context (MDC). The
 * texts are written ahead of the start, in whose way it would be; the map that holds them is made by the start, since a
 * collection would have to move the maps of thousands that wait for their instant.
 */
public final class RunLog {
    /** One text for thousands of runs. It is a cache by number: several nodes in one process only renew it more often. */
    private static volatile EpochText latest = new EpochText(-1, "");

    private final String task;
    private final String slot;
    private final String attempt;
    private final String epoch;
    private final String node;

    /** One for all that is claimed under it. */
    private record EpochText(long number, String text) {}

    public RunLog(String app, String name, Slot slot, int attempt, Epoch epoch) {
        task = app.concat("/").concat(name);
        this.slot = slot.idempotencyKey();
        this.attempt = attempt == 1 ? "1" : Integer.toString(attempt);
        this.epoch = textOf(epoch.number());
        node = epoch.node();
    }

    private static String textOf(long number) {
        EpochText known = latest;
        if (known.number() != number) {
            known = new EpochText(number, Long.toString(number));
            latest = known;
        }
        return known.text();
    }

    /** From here on, on this thread, until {@link #leave}. */
    void enter() {
        MDC.put("task", task);
        MDC.put("slot", slot);
        MDC.put("attempt", attempt);
        MDC.put("epoch", epoch);
        MDC.put("node", node);
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
