package io.twinbell.node.engine;

import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.task.ArrivalDecision;
import io.twinbell.node.task.Passing;
import io.twinbell.persistence.task.Arrivals;
import io.twinbell.persistence.task.Leap;
import io.twinbell.persistence.task.Leaps;
import io.twinbell.persistence.task.PassedSlots;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes in what has no master's word yet, a bounded number a step: what applications added, replaced and removed by SQL,
 * and the slots that a move of a next fire time has passed over.
 */
final class Reception {
    private static final Logger LOG = LoggerFactory.getLogger(Reception.class);
    /** Each may have a definition of a megabyte. */
    private static final int BATCH = 200;

    private final Arrivals arrivals;
    private final ArrivalDecision decision;
    private final Leaps leaps;
    private final DefinitionCompiler compiler;

    Reception(Arrivals arrivals, Leaps leaps, CalendarBook calendars) {
        this.arrivals = arrivals;
        this.leaps = leaps;
        decision = new ArrivalDecision(calendars::latest);
        compiler = new DefinitionCompiler(calendars);
    }

    /** Returns whether there may be more. */
    boolean step() {
        boolean moreLeaps = leaps.settle(BATCH, this::leaptOver) >= BATCH;
        return arrivals.receive(BATCH, decision) >= BATCH || moreLeaps;
    }

    private Optional<PassedSlots> leaptOver(Leap leap) {
        Definitions.Known known =
                compiler.compile(leap.name().app(), leap.name().name(), leap.definition());
        if (known.definition() == null) {
            LOG.warn("which slots of task {} were leapt over can't be told: {}", leap.taskId(), known.error());
            return Optional.empty();
        }
        return Passing.over(leap, known.definition().schedule());
    }
}
