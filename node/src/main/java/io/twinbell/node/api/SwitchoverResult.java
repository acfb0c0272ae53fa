package io.twinbell.node.api;

/** How a switchover, or a failover by hand, ended. */
public sealed interface SwitchoverResult {
    /** @param tookMillis from the request until the new master had opened its epoch */
    record Done(String from, String to, long epoch, long tookMillis) implements SwitchoverResult {}

    /** Nothing was changed, because it would have left nobody to fire. */
    record Refused(String reason) implements SwitchoverResult {}

    /** It was begun, and nobody knows yet how it ends. */
    record TimedOut(String reason) implements SwitchoverResult {}
}
