package io.twinbell.tools.drill.fault.replica;

import io.twinbell.tools.drill.own.Replication;
import io.twinbell.tools.drill.stage.DrillException;
import io.twinbell.tools.drill.stage.DrillStage;
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
                "Cuts the asynchronous replica of PostgreSQL off for " + SHORTEST.toSeconds() + " to "
                        + LONGEST.toSeconds()
                        + " s, kills the primary with SIGKILL, and promotes the replica; the master enters again what the replica lacks.",
                false);
    }

    @Override
    void strike(DrillStage stage, Replication servers) throws DrillException, IOException {
        stage.strike("cut the replica " + servers.other() + " off", servers::detach);
        stage.poll().sleep(between(stage, SHORTEST, LONGEST));
        kill(stage, servers);
        stage.poll().sleep(NOBODY_CALLS);
    }

    @Override
    void heal(DrillStage stage, Replication servers) throws DrillException, IOException {
        servers.awaitReplay();
        stage.print("of " + servers.onOther().unfinished(stage.tasks()) + " executions the replica has no outcome");
        promote(stage, servers);
        rebuild(stage, servers);
    }
}
