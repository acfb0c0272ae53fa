package io.twinbell.tools.drill.fault;

import io.twinbell.tools.drill.stage.DrillException;
import io.twinbell.tools.drill.stage.DrillStage;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Fault: a node is stopped in the ordinary way. */
final class GracefulStop extends Fault {
    GracefulStop() {
        super("stop", "Stops the master with SIGTERM, so that it hands over and drains.", RoleEffect.SUCCESSOR);
    }

    /** The leaving master tells its successor, which waits for nothing else. */
    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(Duration.ofSeconds(2));
    }

    @Override
    Set<FaultComponent> parts() {
        return Set.of(FaultComponent.MASTER);
    }

    @Override
    boolean isMendedLast() {
        return true;
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        stage.terminate(stage.roles().master());
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, IOException {
        stage.start(stage.roles().master());
    }
}
