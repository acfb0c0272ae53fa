package io.twinbell.lab.fault.replica;

import io.twinbell.lab.own.Replication;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;

/**
 * Fault: a lagging replica is promoted, so that acknowledged commits are lost. The master still knows them, so no slot
 * may be called twice or be missing.
 */
public final class PromoteLaggingReplica extends ReplicaFault {
    private static final Duration SHORTEST = Duration.ofSeconds(2);
    private static final Duration LONGEST = Duration.ofSeconds(6);
    /** After this time the nodes no longer start what they claimed from the dead server. */
    private static final Duration NOBODY_CALLS = Duration.ofSeconds(2);

    public PromoteLaggingReplica() {
        super(
                "promote-lagging-replica",
                "Disconnects the asynchronous replica of PostgreSQL for " + SHORTEST.toSeconds() + " to "
                        + LONGEST.toSeconds()
                        + " s, kills the primary with SIGKILL, and promotes the replica; the master records again"
                        + " what the replica lacks.",
                false);
    }

    @Override
    void strike(DrillStage stage, Replication servers) throws DrillException, IOException {
        stage.strike("disconnected the replica " + servers.other(), servers::detach);
        stage.poll().sleep(between(stage, SHORTEST, LONGEST));
        kill(stage, servers);
        stage.poll().sleep(NOBODY_CALLS);
    }

    @Override
    void heal(DrillStage stage, Replication servers) throws DrillException, IOException {
        servers.awaitReplay();
        stage.print("the replica lacks the outcome of " + servers.onOther().unfinished(stage.tasks()) + " executions");
        promote(stage, servers);
        rebuild(stage, servers);
    }
}
