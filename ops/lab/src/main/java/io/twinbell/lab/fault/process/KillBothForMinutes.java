package io.twinbell.lab.fault.process;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/** Fault: both nodes are down for minutes. */
public final class KillBothForMinutes extends Fault {
    private static final Duration DARK = Duration.ofSeconds(140);

    public KillBothForMinutes() {
        super(
                "dark-pair",
                "Kills both nodes with SIGKILL, and starts them again after " + DARK.toSeconds() + " s.",
                RoleEffect.ANY_MASTER);
    }

    @Override
    public FaultRequirements requirements() {
        return FaultRequirements.OWN;
    }

    @Override
    public Epochs epochs() {
        return Epochs.exactly(1);
    }

    @Override
    public Duration lasts() {
        return DARK;
    }

    @Override
    public Set<String> pages() {
        return Set.of("TwinbellNoData");
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        stage.process(stage.roles().standby());
        stage.kill(stage.roles().master());
        stage.kill(stage.roles().standby());
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, IOException {
        stage.start(stage.roles().master());
        stage.start(stage.roles().standby());
    }
}
