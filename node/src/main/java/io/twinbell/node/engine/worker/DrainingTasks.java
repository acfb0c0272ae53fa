package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.run.InFlight;
import io.twinbell.node.engine.run.Run;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The tasks of which a former master still starts or finishes a run. They are read with each settling pass, and again
 * before a run is refused because of them: a former master ends most runs within milliseconds.
 */
public final class DrainingTasks {
    private final Supplier<Set<Long>> source;
    private final InFlight inFlight;
    private final DatabaseClock clock;
    private long readMillis = Long.MIN_VALUE;

    /** @param source reads the ids of these tasks from the ledger */
    public DrainingTasks(Supplier<Set<Long>> source, InFlight inFlight, DatabaseClock clock) {
        this.source = source;
        this.inFlight = inFlight;
        this.clock = clock;
    }

    /** Reads the tasks, and counts them as running from now on. */
    public synchronized Set<Long> read() {
        long beganMillis = clock.nowMillis();
        Set<Long> tasks = source.get();
        inFlight.setRunningElsewhere(tasks);
        readMillis = beganMillis;
        return tasks;
    }

    /** Runs the statement without effect. */
    public void warmUp() {
        source.get();
    }

    /**
     * Whether the run's task counted as running at a former master but no longer does. One read serves all runs that
     * were due before it. If the database does not answer, the task still counts.
     */
    boolean hasEnded(Run run) {
        return inFlight.runsElsewhere(run.slot().taskId()) && hasEndedSince(run);
    }

    private synchronized boolean hasEndedSince(Run run) {
        if (readMillis < run.slot().fireTimeMillis()) {
            try {
                read();
            } catch (DatabaseUnavailableException e) {
                return false;
            }
        }
        return !inFlight.runsElsewhere(run.slot().taskId());
    }
}
