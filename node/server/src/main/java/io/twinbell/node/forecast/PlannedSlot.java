package io.twinbell.node.forecast;

/**
 * The plan for a slot, or for several slots that end in one row.
 *
 * @param state CLAIMED if the slot runs; otherwise the state that its row will have, such as SKIPPED
 * @param fireMillis its fire time, in milliseconds since 1970 UTC
 * @param slots how many slots the row will stand for
 * @param startMillis when the run starts, if it runs
 * @param endMillis when the run ends, if it takes as long as it did on average
 */
public record PlannedSlot(String state, long fireMillis, long slots, long startMillis, long endMillis) {
    /** The state of a slot that runs. */
    public static final String RUNS = "CLAIMED";

    public boolean runs() {
        return state.equals(RUNS);
    }
}
