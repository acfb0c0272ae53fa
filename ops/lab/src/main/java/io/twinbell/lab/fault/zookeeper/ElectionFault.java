package io.twinbell.lab.fault.zookeeper;

import io.twinbell.lab.fault.ElectionCheck;
import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.FaultTarget;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Fault: a node loses its entry in the election, and must enter again. */
abstract class ElectionFault extends Fault {
    private final FaultTarget target;

    /** @param target the node that loses its entry; a master must be followed, a standby must not */
    ElectionFault(String name, String description, FaultTarget target) {
        super(name, description, target == FaultTarget.MASTER ? RoleEffect.SUCCESSOR : RoleEffect.SAME_MASTER);
        this.target = target;
    }

    final String node(DrillStage stage) {
        return target.of(stage.roles());
    }

    @Override
    public final Optional<Duration> quietAtMost() {
        return Optional.of(Duration.ofSeconds(1));
    }

    @Override
    public final Set<FaultComponent> parts() {
        return Set.of(FaultComponent.ZOOKEEPER);
    }

    @Override
    public final void expect(DrillStage stage) throws DrillException, IOException {
        ElectionCheck.expectBothNodes(stage);
    }
}
