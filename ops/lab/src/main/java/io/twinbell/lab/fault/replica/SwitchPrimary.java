package io.twinbell.lab.fault.replica;

import io.twinbell.lab.own.Replication;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
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
