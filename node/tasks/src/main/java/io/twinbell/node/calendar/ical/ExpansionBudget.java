package io.twinbell.node.calendar.ical;

import io.twinbell.node.json.InvalidJsonException;

/**
 * Bounds the work of expanding one file. It counts steps and not only results: a rule that checks every second and
 * matches none would cost as much as one that matches all. Longer operations count as several steps, so that a step
 * takes about a tenth of a microsecond for any file.
 */
public final class ExpansionBudget {
    /** About half a second. A daily rule from 1970 to 2199 takes 420,000 steps, a monthly one 14,000. */
    public static final int MAX_STEPS = 5_000_000;

    private int steps;

    /**
     * Counts more steps.
     *
     * @param cause the property that causes them
     * @throws InvalidJsonException if the budget is exhausted
     */
    public void steps(int number, ContentLine cause) {
        steps += number;
        if (steps > MAX_STEPS) {
            throw cause.refusal("the events of this file take more than " + MAX_STEPS
                    + " steps to expand up to 2199: give their rules an UNTIL or a FREQ with fewer candidates, or split the"
                    + " file into several calendars");
        }
    }

    /** Returns the number of steps taken. */
    int taken() {
        return steps;
    }
}
