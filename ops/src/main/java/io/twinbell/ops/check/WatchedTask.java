package io.twinbell.ops.check;

import java.util.OptionalLong;

/**
 * A task of which everything is known that the checker needs.
 *
 * @param reruns whether its orphan policy is RERUN
 * @param overlaps whether its overlap policy lets two of its runs be under way at once
 * @param maxAttempts of its retry policy: that many are explained without a change of master
 */
public record WatchedTask(
        long id, String name, Plan plan, boolean reruns, boolean overlaps, int maxAttempts, Watch watch) {
    /** One that is not tried again when it fails. */
    public WatchedTask(long id, String name, Plan plan, boolean reruns, boolean overlaps, Watch watch) {
        this(id, name, plan, reruns, overlaps, 1, watch);
    }

    /**
     * How long it was watched, in epoch milliseconds.
     *
     * @param owedUntil every slot up to here must be in the ledger; a later one may be
     * @param standsAt the next fire time that the task had when it was stopped; empty if it had none
     */
    public record Watch(long owedUntil, OptionalLong standsAt) {}
}
