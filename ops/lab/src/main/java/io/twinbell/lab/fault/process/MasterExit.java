package io.twinbell.lab.fault.process;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.util.Set;

/** Fault: the master's process ends, and is started again when the standby has taken over. */
abstract class MasterExit extends Fault {
    MasterExit(String name, String description) {
        super(name, description, RoleEffect.SUCCESSOR);
    }

    @Override
    public final Set<FaultComponent> parts() {
        return Set.of(FaultComponent.MASTER);
    }

    @Override
    public final boolean isRepairedLast() {
        return true;
    }

    @Override
    public final void heal(DrillStage stage) throws DrillException, IOException {
        stage.start(stage.roles().master());
    }
}
