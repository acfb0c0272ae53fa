package io.twinbell.node.calendar.ical;

import io.twinbell.node.json.InvalidJsonException;

/**
 * Bounds the work that one file may cause. Steps count, not only results: a rule that looks at every second and matches
 * none would cost as much as one that matches all.
 */
public final class ExpansionBudget {
    /** About half a second. A daily rule from 1970 to 2199 takes 170,000 steps. */
    static final int MAX_STEPS = 5_000_000;

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
    void steps(int number, ContentLine cause) {
        steps += number;
        if (steps > MAX_STEPS) {
            throw cause.refusal("the rules of this file take more than " + MAX_STEPS
                    + " steps to expand up to 2199: give them an UNTIL, or a FREQ with fewer candidates");
        }
    }
}
