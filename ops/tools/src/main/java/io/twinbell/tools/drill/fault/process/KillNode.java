package io.twinbell.tools.drill.fault.process;

import io.twinbell.tools.drill.fault.Fault;
import io.twinbell.tools.drill.fault.FaultComponent;
import io.twinbell.tools.drill.stage.DrillException;
import io.twinbell.tools.drill.stage.DrillStage;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Fault: a node's process crashes. */
public final class KillNode extends Fault {
    public KillNode() {
        super("kill", "Kills the master with SIGKILL.", RoleEffect.SUCCESSOR);
    }

    /** Far below the timeout of the dead node's ZooKeeper session. */
    @Override
    public Optional<Duration> quietIfReady() {
        return Optional.of(Duration.ofSeconds(3));
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.MASTER);
    }

    @Override
    public boolean isRepairedLast() {
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
