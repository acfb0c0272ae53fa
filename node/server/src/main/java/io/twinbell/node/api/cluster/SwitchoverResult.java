package io.twinbell.node.api.cluster;

/** The result of a switchover, or of a failover by hand. */
public sealed interface SwitchoverResult {
    /** @param tookMillis from the request until the new master opened its epoch */
    record Done(String from, String to, long epoch, long tookMillis) implements SwitchoverResult {}

    /** Nothing was changed, because no node would have fired afterwards. */
    record Refused(String reason) implements SwitchoverResult {}

    /** The switchover has begun, and its outcome is not known yet. */
    record TimedOut(String reason) implements SwitchoverResult {}
}
