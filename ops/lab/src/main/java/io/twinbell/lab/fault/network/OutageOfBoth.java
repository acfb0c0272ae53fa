package io.twinbell.lab.fault.network;

import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/** Fault: PostgreSQL and ZooKeeper fail and return together, as after a power failure of their rack. */
public final class OutageOfBoth extends OwnFault {
    private static final Duration OUTAGE = Duration.ofSeconds(20);

    public OutageOfBoth() {
        super(
                "outage-of-both",
                "Stops PostgreSQL and all ZooKeeper servers for " + OUTAGE.toSeconds() + " s, and starts them at"
                        + " the same time.",
                RoleEffect.SAME_MASTER);
    }

    @Override
    public Duration lasts() {
        return OUTAGE;
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.DATABASE, FaultComponent.ZOOKEEPER);
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.undo().add("start the servers again", () -> {
            pair.ensemble().startMissing();
            if (!pair.server().runs()) {
                pair.server().start();
            }
        });
        stage.strike("stopped PostgreSQL and killed all three ZooKeeper servers", () -> {
            pair.ensemble().stopAll();
            pair.server().stop();
        });
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.heal("started PostgreSQL and the ZooKeeper servers", () -> {
            pair.ensemble().startMissing();
            pair.server().start();
        });
    }
}
