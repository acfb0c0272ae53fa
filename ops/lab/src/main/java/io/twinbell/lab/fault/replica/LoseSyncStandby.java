package io.twinbell.lab.fault.replica;

import io.twinbell.lab.own.Replication;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;

/**
 * Fault: the synchronous replica dies; no commit completes until the operator configures the primary to wait for no
 * replica.
 */
public final class LoseSyncStandby extends ReplicaFault {
    private static final Duration SHORTEST = Duration.ofSeconds(3);
    private static final Duration LONGEST = Duration.ofSeconds(10);

    public LoseSyncStandby() {
        super(
                "lose-sync-standby",
                "Kills the synchronous replica of PostgreSQL with SIGKILL, and removes its name from the primary's"
                        + " configuration after " + SHORTEST.toSeconds() + " to " + LONGEST.toSeconds() + " s.",
                true);
    }

    @Override
    void strike(DrillStage stage, Replication servers) throws DrillException, IOException {
        stage.strike("killed the replica " + servers.other(), servers.other()::kill);
        stage.poll().sleep(between(stage, SHORTEST, LONGEST));
    }

    @Override
    void heal(DrillStage stage, Replication servers) throws DrillException, IOException {
        stage.heal(
                "made " + servers.primary() + " stop waiting for a replica",
                () -> servers.onPrimary().disableSynchronousReplication());
        rebuild(stage, servers);
    }
}
