package io.twinbell.tools.drill.fault.process;

import io.twinbell.tools.drill.fault.Fault;
import io.twinbell.tools.drill.fault.FaultComponent;
import io.twinbell.tools.drill.stage.DrillException;
import io.twinbell.tools.drill.stage.DrillStage;
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
