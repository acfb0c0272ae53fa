package io.twinbell.lab.fault.zookeeper;

import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Fault: the whole ZooKeeper ensemble is down. */
public final class ZooKeeperOutage extends OwnFault {
    private static final Duration OUTAGE = Duration.ofSeconds(60);

    public ZooKeeperOutage() {
        super(
                "zookeeper-outage",
                "Kills all three ZooKeeper servers, and starts them again after " + OUTAGE.toSeconds()
                        + " s; the master must continue to fire.",
                RoleEffect.SAME_MASTER);
    }

    @Override
    public Duration lasts() {
        return OUTAGE;
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(Duration.ofSeconds(1));
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.ZOOKEEPER);
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.undo().add("start ZooKeeper again", pair.ensemble()::startMissing);
        stage.strike("killed all three ZooKeeper servers", pair.ensemble()::stopAll);
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.heal("started the ZooKeeper servers", pair.ensemble()::startMissing);
    }
}
