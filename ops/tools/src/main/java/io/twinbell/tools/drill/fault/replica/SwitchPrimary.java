package io.twinbell.tools.drill.fault.replica;

import io.twinbell.tools.drill.own.Replication;
import io.twinbell.tools.drill.stage.DrillException;
import io.twinbell.tools.drill.stage.DrillStage;
import java.io.IOException;

/** Fault: a planned switchover of PostgreSQL. */
public final class SwitchPrimary extends ReplicaFault {
    public SwitchPrimary() {
        super(
                "switch-primary",
                "Stops PostgreSQL cleanly, promotes its synchronous replica, and makes the former primary a replica"
                        + " of it.",
                true);
    }

    @Override
    void strike(DrillStage stage, Replication servers) throws DrillException, IOException {
        stage.strike("stopped the primary " + servers.primary(), servers.primary()::stop);
    }

    @Override
    void heal(DrillStage stage, Replication servers) throws DrillException, IOException {
        promote(stage, servers);
        stage.heal("started the former primary " + servers.other() + " as a replica", servers::rejoin);
    }
}
