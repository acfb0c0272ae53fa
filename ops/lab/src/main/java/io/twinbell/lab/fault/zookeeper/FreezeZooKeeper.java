package io.twinbell.lab.fault.zookeeper;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Fault: the ZooKeeper ensemble hangs. */
public final class FreezeZooKeeper extends Fault {
    /** Longer than the pair's ZooKeeper session timeout. */
    private static final Duration OUTAGE = Duration.ofSeconds(15);

    public FreezeZooKeeper() {
        super("freeze-zookeeper", "Freezes ZooKeeper for " + OUTAGE.toSeconds() + " s.", RoleEffect.SAME_MASTER);
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
    public void strike(DrillStage stage) throws DrillException, IOException {
        stage.freeze("ZooKeeper", stage.pair().servers().zooKeeper());
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, IOException {
        stage.thaw("ZooKeeper", stage.pair().servers().zooKeeper());
    }
}
