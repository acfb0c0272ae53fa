package io.twinbell.tools.drill.fault;

import io.twinbell.tools.drill.stage.DrillException;
import io.twinbell.tools.drill.stage.DrillStage;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Fault: the master hangs for longer than its ZooKeeper session timeout. */
final class FreezeMaster extends Fault {
    /** A development pair's session timeout and one tick: its ZooKeeper expires sessions by whole ticks. */
    private static final Duration SESSION_AND_A_TICK = Duration.ofSeconds(12);

    FreezeMaster() {
        super(
                "freeze",
                "Freezes the master with SIGSTOP until the standby has taken over, and lets it go on.",
                RoleEffect.SUCCESSOR);
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(SESSION_AND_A_TICK.plusMillis(500));
    }

    @Override
    public Optional<Duration> straggle() {
        return Optional.of(Duration.ZERO);
    }

    @Override
    Set<FaultComponent> parts() {
        return Set.of(FaultComponent.MASTER);
    }

    @Override
    Optional<IsolatedMaster> keeps(DrillStage stage) {
        return Optional.of(kept(stage, stage.roles().master(), Duration.ZERO));
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        String master = stage.roles().master();
        stage.freeze("node " + master, List.of(stage.process(master)));
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, IOException {
        String master = stage.roles().master();
        stage.thaw("node " + master, List.of(stage.process(master)));
    }

    @Override
    public void expect(DrillStage stage) throws DrillException, IOException {
        RejoinCheck.expect(stage, stage.roles().master());
    }
}
