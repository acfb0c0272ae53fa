package io.twinbell.lab.fault.process;

import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Fault: a node's process crashes. */
public final class KillNode extends MasterExit {
    public KillNode() {
        super("kill", "Kills the master with SIGKILL.");
    }

    /** Far below the timeout of the dead node's ZooKeeper session. */
    @Override
    public Optional<Duration> quietIfReady() {
        return Optional.of(Duration.ofSeconds(3));
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        stage.kill(stage.roles().master());
    }
}
