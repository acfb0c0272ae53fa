package io.twinbell.node.engine.run;

import java.time.Duration;

/**
 * In which order due slots go. Each step of priority is worth so much waiting: an urgent one goes before those that came
 * due a little earlier, and whatever waits for long enough goes before everything that is younger, so nothing starves.
 */
public final class Urgency {
    public static final int HIGHEST = 9;
    public static final int USUAL = 5;
    /** All of them together stay below the misfire threshold that tasks have by default, 30 s, for the usual priority. */
    private static final long STEP_MILLIS = Duration.ofSeconds(5).toMillis();

    private Urgency() {}

    /** The least goes first. */
    public static long of(long fireMillis, int priority) {
        return fireMillis + (HIGHEST - priority) * STEP_MILLIS;
    }

    /** The fire time that has this urgency. */
    public static long fireMillis(long urgency, int priority) {
        return urgency - (HIGHEST - priority) * STEP_MILLIS;
    }
}
