package io.twinbell.node.engine;

import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.task.ArrivalDecision;
import io.twinbell.persistence.task.Arrivals;

/** Takes in what applications added, replaced and removed by SQL, a bounded number a step. */
final class Reception {
    /** Each may have a definition of a megabyte. */
    private static final int BATCH = 200;

    private final Arrivals arrivals;
    private final ArrivalDecision decision;

    Reception(Arrivals arrivals, CalendarBook calendars) {
        this.arrivals = arrivals;
        decision = new ArrivalDecision(calendars::latest);
    }

    /** Returns whether there may be more. */
    boolean step() {
        return arrivals.receive(BATCH, decision) >= BATCH;
    }
}
