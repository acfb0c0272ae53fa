package io.twinbell.lab.fault.replica;

import io.twinbell.lab.own.Replication;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;

/** Fault: the primary dies, and its synchronous replica is promoted. */
public final class PromoteReplica extends ReplicaFault {
    private static final Duration EARLIEST = Duration.ofMillis(200);
    private static final Duration LATE = Duration.ofSeconds(4);

    public PromoteReplica() {
        super("promote-replica", "Kills PostgreSQL with SIGKILL, and promotes its synchronous replica.", true);
    }

    @Override
    void strike(DrillStage stage, Replication servers) throws DrillException, IOException {
        kill(stage, servers);
        stage.poll().sleep(between(stage, EARLIEST, LATE));
    }

    @Override
    void heal(DrillStage stage, Replication servers) throws DrillException, IOException {
        promote(stage, servers);
        rebuild(stage, servers);
    }
}
