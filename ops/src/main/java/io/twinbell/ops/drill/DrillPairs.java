package io.twinbell.ops.drill;

import io.twinbell.ops.drill.fault.Fault;
import io.twinbell.ops.drill.fault.Venue;
import io.twinbell.ops.drill.own.OwnPair;
import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.DrilledPair;
import io.twinbell.ops.drill.stage.LocalPair;
import io.twinbell.ops.drill.stage.Timeline;
import io.twinbell.ops.drill.stage.Watch;
import java.io.IOException;
import java.nio.file.Path;

/** The pairs that a drill is made on: the one that runs, or those that it starts itself, one after the other. */
final class DrillPairs implements AutoCloseable {
    private final Path run;
    private final boolean own;
    private final int firstPort;
    private final Watch watch;
    private final Timeline timeline;
    private OwnPair current;

    /**
     * @param own whether pairs are started for the drill; else it is the one that {@code scripts/pair} keeps in the run
     *     directory
     */
    DrillPairs(Path run, boolean own, int firstPort, Watch watch, Timeline timeline) {
        this.run = run;
        this.own = own;
        this.firstPort = firstPort;
        this.watch = watch;
        this.timeline = timeline;
    }

    /** One that the fault can be done to: the one before, if that will do. */
    DrilledPair pairFor(Fault fault) throws IOException, DrillException {
        if (!own) {
            return LocalPair.in(run);
        }
        Venue venue = fault.venue();
        if (current != null && !venue.fits(current.layout())) {
            close();
        }
        if (current == null) {
            current = OwnPair.start(run.resolve("own"), venue.layout(), firstPort, watch, timeline);
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
