package io.twinbell.tools.drill.fault;

import io.twinbell.tools.drill.stage.DrillException;
import io.twinbell.tools.drill.stage.DrillStage;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Fault: the standby crashes; no call may be affected. */
final class KillStandby extends Fault {
    KillStandby() {
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
    Set<FaultComponent> parts() {
        return Set.of(FaultComponent.STANDBY);
    }

    @Override
    boolean isMendedLast() {
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
