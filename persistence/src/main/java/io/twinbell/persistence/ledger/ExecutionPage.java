package io.twinbell.persistence.ledger;

/**
 * Which part of a list of executions is wanted.
 *
 * @param after only what comes after this one in the order; null for the start
 * @param oldestFirst by fire time; else the newest comes first
 * @param brief without output and error, which may be long
 */
public record ExecutionPage(Slot after, int limit, boolean oldestFirst, boolean brief) {
    public static ExecutionPage newest(int limit) {
        return new ExecutionPage(null, limit, false, false);
    }
}
