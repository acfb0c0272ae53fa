package io.twinbell.lab;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrilledPair;
import io.twinbell.lab.stage.LocalPair;
import io.twinbell.tools.drill.ConditionPoll;
import io.twinbell.tools.drill.DrillException;
import io.twinbell.tools.drill.DrillTimeline;
import java.io.IOException;
import java.nio.file.Path;

/** Provides the pairs for a drill: the running pair, or pairs that the drill starts itself, one after another. */
final class DrillPairs implements AutoCloseable {
    private final Path run;
    private final boolean own;
    private final int firstPort;
    private final ConditionPoll poll;
    private final DrillTimeline timeline;
    private OwnPair current;

    /**
     * @param own whether the drill starts its own pairs; otherwise it uses the one that {@code scripts/pair} keeps in
     *     the run directory
     */
    DrillPairs(Path run, boolean own, int firstPort, ConditionPoll poll, DrillTimeline timeline) {
        this.run = run;
        this.own = own;
        this.firstPort = firstPort;
        this.poll = poll;
        this.timeline = timeline;
    }

    /** A pair that suits the fault; the previous one if it suits. */
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

    /**
     * Closes the pair. After a round that was broken off, the next round starts with a new pair, if the drill owns the
     * pair.
     */
    @Override
    public void close() {
        if (current != null) {
            current.close();
            current = null;
        }
    }
}
