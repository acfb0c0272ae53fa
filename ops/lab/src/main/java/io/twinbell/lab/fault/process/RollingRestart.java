package io.twinbell.lab.fault.process;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Fault: both nodes are restarted one after another, as for a new version. */
public final class RollingRestart extends Fault {
    public RollingRestart() {
        super("rolling-restart", "Stops and starts the standby, then the master, with SIGTERM.", RoleEffect.SUCCESSOR);
    }

    /** The leaving master records its resignation, and its successor waits for nothing else. */
    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(Duration.ofSeconds(2));
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        stage.terminate(stage.roles().standby());
        stage.start(stage.roles().standby());
        stage.awaitBothNodes();
        stage.endPrelude();
        stage.terminate(stage.roles().master());
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, IOException {
        stage.start(stage.roles().master());
    }
}
