package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** A crash of the process. */
final class Kill extends Fault {
    Kill() {
        super("kill", "Kills the master with SIGKILL.", Aftermath.SUCCESSOR);
    }

    /** Far less than the session of the dead needs to time out. */
    @Override
    public Optional<Duration> quietIfReady() {
        return Optional.of(Duration.ofSeconds(3));
    }

    @Override
    Set<Part> parts() {
        return Set.of(Part.MASTER);
    }

    @Override
    boolean isMendedLast() {
        return true;
    }

    @Override
    public void strike(Stage stage) throws DrillException, IOException {
        stage.kill(stage.cast().master());
    }

    @Override
    public void heal(Stage stage) throws DrillException, IOException {
        stage.start(stage.cast().master());
    }
}
