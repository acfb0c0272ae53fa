package io.twinbell.lab.fault.replica;

import io.twinbell.lab.own.Replication;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Fault: the synchronous replica hangs, then the primary dies. Commits that the primary had not yet acknowledged are
 * lost.
 */
public final class HangSyncStandby extends ReplicaFault {
    private static final Duration SHORTEST = Duration.ofSeconds(8);
    private static final Duration LONGEST = Duration.ofSeconds(12);

    private List<ProcessHandle> frozen = List.of();

    public HangSyncStandby() {
        super(
                "hang-sync-standby",
                "Freezes the synchronous replica of PostgreSQL for " + SHORTEST.toSeconds() + " to "
                        + LONGEST.toSeconds()
                        + " s, kills the primary with SIGKILL, and promotes the replica.",
                true);
    }

    @Override
    void strike(DrillStage stage, Replication servers) throws DrillException, IOException {
        frozen = servers.other().processes().database();
        stage.freeze("the replica " + servers.other(), frozen);
        stage.poll().sleep(between(stage, SHORTEST, LONGEST));
        kill(stage, servers);
    }

    @Override
    void heal(DrillStage stage, Replication servers) throws DrillException, IOException {
        stage.thaw("the replica " + servers.other(), frozen);
        promote(stage, servers);
        rebuild(stage, servers);
    }
}
