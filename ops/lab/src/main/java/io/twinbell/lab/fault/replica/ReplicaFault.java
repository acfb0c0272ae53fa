package io.twinbell.lab.fault.replica;

import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.own.Replication;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;

/** A fault of a primary or of its streaming replica. */
abstract class ReplicaFault extends OwnFault {
    private final boolean isSynchronous;

    /**
     * A fault that leaves the master in place, whichever server it uses.
     *
     * @param isSynchronous whether each commit waits for the replica before the fault
     */
    ReplicaFault(String name, String description, boolean isSynchronous) {
        this(name, description, isSynchronous, RoleEffect.SAME_MASTER);
    }

    ReplicaFault(String name, String description, boolean isSynchronous, RoleEffect roleEffect) {
        super(name, description, roleEffect);
        this.isSynchronous = isSynchronous;
    }

    @Override
    public FaultRequirements requirements() {
        return FaultRequirements.REPLICA;
    }

    @Override
    public void prepare(DrillStage stage) throws DrillException, IOException {
        Replication servers = ownPair(stage).replication();
        if (isSynchronous) {
            servers.waitForReplica();
        } else {
            servers.onPrimary().disableSynchronousReplication();
        }
        stage.print("the primary is " + servers.primary() + ", and commits " + (isSynchronous ? "wait" : "do not wait")
                + " for the replica " + servers.other());
    }

    @Override
    public final void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        strike(stage, pair.replication());
    }

    @Override
    public final void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        heal(stage, pair.replication());
    }

    abstract void strike(DrillStage stage, Replication servers) throws DrillException, IOException;

    abstract void heal(DrillStage stage, Replication servers) throws DrillException, IOException;

    static void kill(DrillStage stage, Replication servers) throws DrillException, IOException {
        stage.strike("killed the primary " + servers.primary(), servers.primary()::kill);
    }

    static void promote(DrillStage stage, Replication servers) throws DrillException, IOException {
        stage.heal("promoted the replica " + servers.other(), servers::promote);
    }

    /** Copies the promoted server's data to the other server while both nodes use the promoted one. */
    static void rebuild(DrillStage stage, Replication servers) throws DrillException, IOException {
        stage.heal("made " + servers.other() + " a replica of " + servers.primary(), servers::rebuild);
    }

    /** A random duration within the bounds. */
    static Duration between(DrillStage stage, Duration least, Duration most) {
        return Duration.ofMillis(stage.random().nextLong(least.toMillis(), most.toMillis() + 1));
    }
}
