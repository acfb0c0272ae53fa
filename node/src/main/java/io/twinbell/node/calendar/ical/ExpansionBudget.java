package io.twinbell.node.calendar.ical;

import io.twinbell.node.json.InvalidJsonException;

/**
 * Bounds the work that one file may cause. Steps count, not only results: a rule that looks at every second and matches
 * none would cost as much as one that matches all. What takes longer counts as several steps, so that a step is about a
 * tenth of a microsecond whatever the file says.
 */
public final class ExpansionBudget {
    /** About half a second. A daily rule from 1970 to 2199 takes 500,000 steps, a monthly one 100,000. */
    public static final int MAX_STEPS = 5_000_000;

    private int steps;

    /**
     * One more candidate is looked at.
     *
     * @param cause the property that causes it
     * @throws InvalidJsonException if that is one too many
     */
    public void step(ContentLine cause) {
        steps(1, cause);
    }

    /** As {@link #step}, for so many of them. */
    public void steps(int number, ContentLine cause) {
        steps += number;
        if (steps > MAX_STEPS) {
            throw cause.refusal("the events of this file take more than " + MAX_STEPS
                    + " steps to expand up to 2199: give their rules an UNTIL, or a FREQ with fewer candidates, or split the"
                    + " file into several calendars");
        }
    }

    /** How many have been taken. */
    int taken() {
        return steps;
    }
}
