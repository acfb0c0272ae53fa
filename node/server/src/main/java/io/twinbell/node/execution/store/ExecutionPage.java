package io.twinbell.node.execution.store;

import io.twinbell.persistence.ledger.Slot;

/**
 * The part of a list of executions to read.
 *
 * @param after only executions after this one in the order; null for the start
 * @param oldestFirst ascending by fire time; otherwise the newest comes first
 * @param brief omits output and error, which may be long
 */
public record ExecutionPage(Slot after, int limit, boolean oldestFirst, boolean brief) {
    public static ExecutionPage newest(int limit) {
        return new ExecutionPage(null, limit, false, false);
    }
}
