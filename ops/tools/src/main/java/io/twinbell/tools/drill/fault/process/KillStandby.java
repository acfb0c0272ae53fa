package io.twinbell.tools.drill.fault.process;

import io.twinbell.tools.drill.fault.Fault;
import io.twinbell.tools.drill.fault.FaultComponent;
import io.twinbell.tools.drill.stage.DrillException;
import io.twinbell.tools.drill.stage.DrillStage;
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
