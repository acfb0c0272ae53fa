package io.twinbell.lab.fault;

import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;

/** A fault that needs a pair which the drill has started itself. */
public abstract class OwnFault extends Fault {
    public OwnFault(String name, String description, RoleEffect roleEffect) {
        super(name, description, roleEffect);
    }

    @Override
    public FaultRequirements requirements() {
        return FaultRequirements.OWN;
    }

    @Override
    public final void strike(DrillStage stage) throws DrillException, NodeException, IOException {
        strike(stage, ownPair(stage));
    }

    @Override
    public final void heal(DrillStage stage) throws DrillException, NodeException, IOException {
        heal(stage, ownPair(stage));
    }

    public abstract void strike(DrillStage stage, OwnPair pair) throws DrillException, NodeException, IOException;

    public abstract void heal(DrillStage stage, OwnPair pair) throws DrillException, NodeException, IOException;
}
