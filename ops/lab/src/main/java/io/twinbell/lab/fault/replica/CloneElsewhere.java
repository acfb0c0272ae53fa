package io.twinbell.lab.fault.replica;

import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.ClonedPair;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Fault: a physical copy of the database runs elsewhere with its own ensemble and nodes, like a staging machine. */
public final class CloneElsewhere extends OwnFault {
    private static final Duration RUNS = Duration.ofSeconds(10);
    /** Longer than usual, because the copy and the start of four servers load the same machine. */
    private static final Duration QUIET_AT_MOST = Duration.ofSeconds(2);

    private ClonedPair clone;

    public CloneElsewhere() {
        super(
                "clone-elsewhere",
                "Starts a physical copy of PostgreSQL on another port, with its own ensemble and two nodes, for "
                        + RUNS.toSeconds() + " s; the copy must not call the receiver.",
                RoleEffect.SAME_MASTER);
    }

    @Override
    public Duration lasts() {
        return RUNS;
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(QUIET_AT_MOST);
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.strike("started a copy elsewhere, with two nodes", () -> {
            clone = pair.cloneElsewhere(stage.poll());
            stage.undo().add("stop the copy", clone::close);
        });
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, NodeException, IOException {
        String reason = clone.pause();
        stage.print("the copy reports: " + reason);
        stage.expect(reason.startsWith("the database has moved"), "firing is not paused in the copy: " + reason);
        long run = clone.runsAfter(stage.roles().epoch());
        stage.expect(run == 0, run + " executions were run by the copy");
        stage.heal("stopped the copy", clone::close);
    }
}
