package io.twinbell.tools.drill.fault;

import io.twinbell.tools.drill.stage.DrillException;
import io.twinbell.tools.drill.stage.DrillStage;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Fault: a node's process crashes. */
final class KillNode extends Fault {
    KillNode() {
        super("kill", "Kills the master with SIGKILL.", RoleEffect.SUCCESSOR);
    }

    /** Far below the timeout of the dead node's ZooKeeper session. */
    @Override
    public Optional<Duration> quietIfReady() {
        return Optional.of(Duration.ofSeconds(3));
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
        stage.kill(stage.roles().master());
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, IOException {
        stage.start(stage.roles().master());
    }
}
