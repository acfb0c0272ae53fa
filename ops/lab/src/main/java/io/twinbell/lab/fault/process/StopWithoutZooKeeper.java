package io.twinbell.lab.fault.process;

import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.NamespaceHosts;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Fault: the master is stopped in the ordinary way while it cannot reach ZooKeeper. */
public final class StopWithoutZooKeeper extends OwnFault {
    private static final Duration UNHEARD = Duration.ofSeconds(1);

    public StopWithoutZooKeeper() {
        super(
                "stop-unheard",
                "Drops all traffic between the master and ZooKeeper, and stops the master with SIGTERM a second"
                        + " later: it resigns but cannot leave the election.",
                RoleEffect.SUCCESSOR);
    }

    @Override
    public FaultRequirements requirements() {
        return FaultRequirements.NAMESPACES;
    }

    /** The successor checks twice, half a second apart, and then ends the stopped node's session. */
    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(Duration.ofSeconds(2));
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.MASTER, FaultComponent.MASTER_TO_ZOOKEEPER);
    }

    @Override
    public boolean isRepairedLast() {
        return true;
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        String master = stage.roles().master();
        stage.undo().add("restore the links", () -> join(pair, master));
        for (String member : pair.ensemble().members()) {
            pair.network().cut(master, member);
            pair.network().cut(member, master);
        }
        stage.print("cut node " + master + " from ZooKeeper");
        stage.poll().sleep(UNHEARD);
        stage.terminate(master);
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        String master = stage.roles().master();
        stage.heal("restored the links", () -> join(pair, master));
        stage.start(master);
    }

    private static void join(OwnPair pair, String master) throws DrillException, IOException {
        NamespaceHosts network = pair.network();
        for (String member : pair.ensemble().members()) {
            network.join(master, member);
            network.join(member, master);
        }
    }
}
