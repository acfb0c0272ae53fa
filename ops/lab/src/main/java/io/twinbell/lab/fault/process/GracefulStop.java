package io.twinbell.lab.fault.process;

import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Fault: a node is stopped in the ordinary way. */
public final class GracefulStop extends MasterExit {
    public GracefulStop() {
        super("stop", "Stops the master with SIGTERM, so that it hands over and drains.");
    }

    /** The leaving master records its resignation, and its successor waits for nothing else. */
    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(Duration.ofSeconds(2));
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        stage.terminate(stage.roles().master());
    }
}
