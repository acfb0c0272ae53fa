package io.twinbell.node.engine;

import io.twinbell.node.task.ArrivalDecision;
import io.twinbell.persistence.task.Arrivals;

/** Takes in what applications added, replaced and removed by SQL, a bounded number a step. */
final class Reception {
    /** Each may have a definition of a megabyte. */
    private static final int BATCH = 200;

    private final Arrivals arrivals;

    Reception(Arrivals arrivals) {
        this.arrivals = arrivals;
    }

    /** Returns whether there may be more. */
    boolean step() {
        return arrivals.receive(BATCH, ArrivalDecision.INSTANCE) >= BATCH;
    }
}
