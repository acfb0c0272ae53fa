package io.twinbell.lab.fault.process;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.util.Set;

/** Fault: both nodes crash. */
public final class KillBoth extends Fault {
    public KillBoth() {
        super("kill-both", "Kills both nodes with SIGKILL and starts them again.", RoleEffect.ANY_MASTER);
    }

    /** The first node to return takes over; the other one then finds a living master. */
    @Override
    public Epochs epochs() {
        return Epochs.exactly(1);
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.MASTER, FaultComponent.STANDBY);
    }

    @Override
    public boolean isRepairedLast() {
        return true;
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        // Finds both processes first: after a kill of the master alone, the standby would take over.
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
