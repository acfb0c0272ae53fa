package io.twinbell.tools.drill;

import io.twinbell.tools.drill.fault.Fault;
import io.twinbell.tools.drill.fault.FaultRequirements;
import io.twinbell.tools.drill.own.OwnPair;
import io.twinbell.tools.drill.stage.ConditionPoll;
import io.twinbell.tools.drill.stage.DrillException;
import io.twinbell.tools.drill.stage.DrillTimeline;
import io.twinbell.tools.drill.stage.DrilledPair;
import io.twinbell.tools.drill.stage.LocalPair;
import java.io.IOException;
import java.nio.file.Path;

/** The pairs that a drill is made on: the one that runs, or those that it starts itself, one after the other. */
final class DrillPairs implements AutoCloseable {
    private final Path run;
    private final boolean own;
    private final int firstPort;
    private final ConditionPoll poll;
    private final DrillTimeline timeline;
    private OwnPair current;

    /**
     * @param own whether pairs are started for the drill; else it is the one that {@code scripts/pair} keeps in the run
     *     directory
     */
    DrillPairs(Path run, boolean own, int firstPort, ConditionPoll poll, DrillTimeline timeline) {
        this.run = run;
        this.own = own;
        this.firstPort = firstPort;
        this.poll = poll;
        this.timeline = timeline;
    }

    /** One that the fault can be done to: the one before, if that will do. */
    DrilledPair pairFor(Fault fault) throws IOException, DrillException {
        if (!own) {
            return LocalPair.in(run);
        }
        FaultRequirements requirements = fault.requirements();
        if (current != null && !requirements.fits(current.layout())) {
            close();
        }
        if (current == null) {
            current = OwnPair.start(run.resolve("own"), requirements.layout(), firstPort, poll, timeline);
        }
        return current;
    }

    boolean areOwn() {
        return own;
    }

    /** After a round that broke off, the next one begins with another pair, if it is ours to throw away. */
    @Override
    public void close() {
        if (current != null) {
            current.close();
            current = null;
        }
    }
}
