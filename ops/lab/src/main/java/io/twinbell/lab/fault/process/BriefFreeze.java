package io.twinbell.lab.fault.process;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.FaultTarget;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Fault: a node hangs for less than its ZooKeeper session timeout, as in a long garbage collection or on a busy host.
 */
public final class BriefFreeze extends Fault {
    private static final Duration PAUSE = Duration.ofSeconds(3);

    private final FaultTarget target;

    public BriefFreeze(FaultTarget target) {
        super(
                "pause-" + target.word(),
                "Freezes the " + target.word() + " with SIGSTOP for " + PAUSE.toSeconds() + " s.",
                RoleEffect.SAME_MASTER);
        this.target = target;
    }

    @Override
    public Duration lasts() {
        return PAUSE;
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.process(target));
    }

    @Override
    public Optional<IsolatedMaster> isolatedMaster(DrillStage stage) {
        return Optional.of(kept(stage, target.of(stage.roles()), Duration.ZERO));
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        String node = target.of(stage.roles());
        stage.freeze("node " + node, List.of(stage.process(node)));
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, IOException {
        String node = target.of(stage.roles());
        stage.thaw("node " + node, List.of(stage.process(node)));
    }
}
