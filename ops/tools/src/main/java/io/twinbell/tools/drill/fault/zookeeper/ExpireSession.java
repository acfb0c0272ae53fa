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

/** Fault: a node's ZooKeeper session is ended from outside. */
public final class ExpireSession extends Fault {
    private final FaultTarget target;

    public ExpireSession(FaultTarget target) {
        super(
                "expire-" + target.word() + "-session",
                "Ends the " + target.word() + "'s ZooKeeper session from another client.",
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
        long session = election.line().stream()
                .filter(electionEntry -> electionEntry.node().equals(node))
                .mapToLong(ElectionOperator.ElectionEntry::session)
                .findFirst()
                .orElseThrow(() -> new DrillException.Refused("node " + node + " does not take part in the election"));
        stage.strike("ended the ZooKeeper session of node " + node, () -> election.expire(session));
    }

    @Override
    public void expect(DrillStage stage) throws DrillException, IOException {
        ElectionCheck.expectBothNodes(stage);
    }
}
