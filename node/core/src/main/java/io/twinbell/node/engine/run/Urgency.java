package io.twinbell.node.engine.run;

import java.time.Duration;

/**
 * The order in which due slots are claimed and started. Each step of priority equals 5 s of waiting: an urgent slot
 * overtakes slots that became due a little earlier, and a slot that waits long enough precedes all newer ones, so none
 * starves.
 */
public final class Urgency {
    public static final int HIGHEST = 9;
    public static final int USUAL = 5;
    /** For the default priority, all steps together stay below the default misfire threshold of 30 s. */
    private static final long STEP_MILLIS = Duration.ofSeconds(5).toMillis();

    private Urgency() {}

    /** The urgency of a slot; the least goes first. */
    public static long of(long fireMillis, int priority) {
        return fireMillis + (HIGHEST - priority) * STEP_MILLIS;
    }

    /** The fire time that has this urgency. */
    public static long fireMillis(long urgency, int priority) {
        return urgency - (HIGHEST - priority) * STEP_MILLIS;
    }
}
