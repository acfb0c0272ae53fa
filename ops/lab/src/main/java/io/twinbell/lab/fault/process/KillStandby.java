package io.twinbell.lab.fault.process;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Fault: the standby crashes; no call may be affected. */
public final class KillStandby extends Fault {
    public KillStandby() {
        super("kill-standby", "Kills the standby with SIGKILL.", RoleEffect.SAME_MASTER);
    }

    @Override
    public Duration lasts() {
        return Duration.ofSeconds(3);
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(Duration.ofSeconds(1));
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.STANDBY);
    }

    @Override
    public boolean isRepairedLast() {
        return true;
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        stage.kill(stage.roles().standby());
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, IOException {
        stage.start(stage.roles().standby());
    }
}
