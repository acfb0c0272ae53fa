package io.twinbell.lab.fault.process;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.RejoinCheck;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Fault: the master hangs for longer than its ZooKeeper session timeout. */
public final class FreezeMaster extends Fault {
    /** A development pair's session timeout and one tick: its ZooKeeper expires sessions by whole ticks. */
    private static final Duration SESSION_AND_A_TICK = Duration.ofSeconds(12);

    public FreezeMaster() {
        super(
                "freeze",
                "Freezes the master with SIGSTOP until the standby has taken over, and resumes it.",
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
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.MASTER);
    }

    @Override
    public Optional<IsolatedMaster> isolatedMaster(DrillStage stage) {
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
