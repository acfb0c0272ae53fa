package io.twinbell.node.engine.handler;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import java.util.Set;
import org.slf4j.MDC;

/**
 * Adds task, slot, attempt, epoch and node to the log context (MDC) of everything that an attempt logs. The texts are
 * created ahead of the start, which keeps the start short. Their map is created at the start: a garbage collection
 * would otherwise have to copy the maps of thousands of waiting runs.
 */
public final class RunLog {
    /** The names that {@link #enter} sets. */
    static final Set<String> NAMES = Set.of("task", "slot", "attempt", "epoch", "node");

    /**
     * The text of the latest epoch, shared by thousands of runs. It is a cache with one entry; several nodes in one
     * process only replace it more often.
     */
    private static volatile EpochText latest = new EpochText(-1, "");

    private final String task;
    private final String slot;
    private final String attempt;
    private final String epoch;
    private final String node;

    /** The text of an epoch, shared by all runs that are claimed under it. */
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

    /** Sets the log context of this thread until {@link #leave}. */
    public void enter() {
        MDC.put("task", task);
        MDC.put("slot", slot);
        MDC.put("attempt", attempt);
        MDC.put("epoch", epoch);
        MDC.put("node", node);
    }

    /** Clears the log context. The threads are Twinbell's own, so it holds nothing else. */
    public static void leave() {
        MDC.clear();
    }
}
