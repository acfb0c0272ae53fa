package io.twinbell.tools.drill.fault.zookeeper;

import io.twinbell.tools.devpair.ElectionOperator;
import io.twinbell.tools.drill.fault.ElectionCheck;
import io.twinbell.tools.drill.fault.Fault;
import io.twinbell.tools.drill.fault.FaultComponent;
import io.twinbell.tools.drill.fault.FaultTarget;
import io.twinbell.tools.drill.stage.DrillException;
import io.twinbell.tools.drill.stage.DrillStage;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Fault: a node's election entry vanishes without notice, as after an error that Curator only logs. */
public final class LoseEntry extends Fault {
    private final FaultTarget target;

    public LoseEntry(FaultTarget target) {
        super(
                "lose-" + target.word() + "-entry",
                "Removes the " + target.word() + "'s entry from the election.",
                target == FaultTarget.MASTER ? RoleEffect.SUCCESSOR : RoleEffect.SAME_MASTER);
        this.target = target;
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
        ElectionOperator election = stage.pair().election();
        String node = target.of(stage.roles());
        stage.strike("removed the entry of node " + node, () -> {
            if (election.remove(node) == 0) {
                throw new DrillException.Refused("node " + node + " does not take part in the election");
            }
        });
    }

    @Override
    public void expect(DrillStage stage) throws DrillException, IOException {
        ElectionCheck.expectBothNodes(stage);
    }
}
