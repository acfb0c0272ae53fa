package io.twinbell.lab.fault.replica;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.own.Replication;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;

/** The primary or its replica ends once, and the pair uses the other server, or goes on alone. */
public final class ReplicaFaults {
    private static final Duration PROMOTED_EARLIEST = Duration.ofMillis(200);
    private static final Duration PROMOTED_LATEST = Duration.ofSeconds(4);
    private static final Duration ALONE_SHORTEST = Duration.ofSeconds(3);
    private static final Duration ALONE_LONGEST = Duration.ofSeconds(10);
    private static final Duration LAG_SHORTEST = Duration.ofSeconds(2);
    private static final Duration LAG_LONGEST = Duration.ofSeconds(6);
    /** After this time the nodes no longer start what they claimed from the dead server. */
    private static final Duration NOBODY_CALLS = Duration.ofSeconds(2);

    /** The primary dies, and its synchronous replica is promoted. */
    public static final Fault PROMOTE_REPLICA = fault(
            "promote-replica",
            "Kills PostgreSQL with SIGKILL, and promotes its synchronous replica.",
            true,
            (stage, servers) -> {
                ReplicaFault.kill(stage, servers);
                stage.poll().sleep(ReplicaFault.between(stage, PROMOTED_EARLIEST, PROMOTED_LATEST));
            },
            (stage, servers) -> {
                ReplicaFault.promote(stage, servers);
                ReplicaFault.rebuild(stage, servers);
            });

    /** A planned switchover of PostgreSQL. */
    public static final Fault SWITCH_PRIMARY = fault(
            "switch-primary",
            "Stops PostgreSQL cleanly, promotes its synchronous replica, and makes the former primary a replica"
                    + " of it.",
            true,
            (stage, servers) -> stage.strike("stopped the primary " + servers.primary(), servers.primary()::stop),
            (stage, servers) -> {
                ReplicaFault.promote(stage, servers);
                stage.heal("started the former primary " + servers.other() + " as a replica", servers::rejoin);
            });

    /**
     * The synchronous replica dies; no commit completes until the operator configures the primary to wait for no
     * replica.
     */
    public static final Fault LOSE_SYNC_STANDBY = fault(
            "lose-sync-standby",
            "Kills the synchronous replica of PostgreSQL with SIGKILL, and removes its name from the primary's"
                    + " configuration after " + ALONE_SHORTEST.toSeconds() + " to " + ALONE_LONGEST.toSeconds() + " s.",
            true,
            (stage, servers) -> {
                stage.strike("killed the replica " + servers.other(), servers.other()::kill);
                stage.poll().sleep(ReplicaFault.between(stage, ALONE_SHORTEST, ALONE_LONGEST));
            },
            (stage, servers) -> {
                stage.heal(
                        "made " + servers.primary() + " stop waiting for a replica",
                        () -> servers.onPrimary().disableSynchronousReplication());
                ReplicaFault.rebuild(stage, servers);
            });

    /**
     * A lagging replica is promoted, so that acknowledged commits are lost. The master still knows them, so no slot may
     * be called twice or be missing.
     */
    public static final Fault PROMOTE_LAGGING_REPLICA = fault(
            "promote-lagging-replica",
            "Disconnects the asynchronous replica of PostgreSQL for " + LAG_SHORTEST.toSeconds() + " to "
                    + LAG_LONGEST.toSeconds()
                    + " s, kills the primary with SIGKILL, and promotes the replica; the master records again"
                    + " what the replica lacks.",
            false,
            (stage, servers) -> {
                stage.strike("disconnected the replica " + servers.other(), servers::detach);
                stage.poll().sleep(ReplicaFault.between(stage, LAG_SHORTEST, LAG_LONGEST));
                ReplicaFault.kill(stage, servers);
                stage.poll().sleep(NOBODY_CALLS);
            },
            (stage, servers) -> {
                servers.awaitReplay();
                stage.print("the replica lacks the outcome of "
                        + servers.onOther().unfinished(stage.tasks()) + " executions");
                ReplicaFault.promote(stage, servers);
                ReplicaFault.rebuild(stage, servers);
            });

    private interface Act {
        void on(DrillStage stage, Replication servers) throws DrillException, IOException;
    }

    private ReplicaFaults() {}

    private static Fault fault(String name, String description, boolean isSynchronous, Act act, Act repair) {
        return new ReplicaFault(name, description, isSynchronous) {
            @Override
            void strike(DrillStage stage, Replication servers) throws DrillException, IOException {
                act.on(stage, servers);
            }

            @Override
            void heal(DrillStage stage, Replication servers) throws DrillException, IOException {
                repair.on(stage, servers);
            }
        };
    }
}
