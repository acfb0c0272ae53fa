package io.twinbell.lab.fault.network;

import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.FaultTarget;
import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Fault: a node's machine is lost: its link is down, and no peer gets an error. */
public final class LoseHost extends OwnFault {
    private static final Duration TRUST_WINDOW = Duration.ofSeconds(1);

    private final FaultTarget target;

    public LoseHost(FaultTarget target) {
        super(
                "lose-" + target.word() + "-host",
                "Takes down the link of the " + target.word() + "'s host"
                        + (target == FaultTarget.MASTER ? " until the standby has taken over." : " for 5 s."),
                target == FaultTarget.MASTER ? RoleEffect.SUCCESSOR : RoleEffect.SAME_MASTER);
        this.target = target;
    }

    @Override
    public FaultRequirements requirements() {
        return FaultRequirements.NAMESPACES;
    }

    @Override
    public Duration lasts() {
        return target == FaultTarget.MASTER ? Duration.ZERO : Duration.ofSeconds(5);
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(target == FaultTarget.MASTER ? Duration.ofMillis(1500) : Duration.ofSeconds(1));
    }

    /** Until the end of its trust window the node starts what it has claimed. */
    @Override
    public Optional<Duration> straggle() {
        return target == FaultTarget.MASTER ? Optional.of(TRUST_WINDOW) : Optional.empty();
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(
                FaultComponent.process(target),
                FaultComponent.wayToDatabase(target),
                FaultComponent.wayToZooKeeper(target),
                FaultComponent.BETWEEN_NODES);
    }

    @Override
    public boolean isRepairedLast() {
        return true;
    }

    @Override
    public Optional<IsolatedMaster> isolatedMaster(DrillStage stage) {
        return Optional.of(kept(stage, target.of(stage.roles()), TRUST_WINDOW));
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        String node = target.of(stage.roles());
        stage.undo()
                .add("bring up the link of node " + node, () -> pair.network().up(node));
        stage.strike("took down the link of node " + node, () -> pair.network().down(node));
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        String node = target.of(stage.roles());
        stage.heal("brought up the link of node " + node, () -> pair.network().up(node));
        // Otherwise the fourth round within ten minutes would be left to the ZooKeeper session timeout. That is
        // correct, but it is not what this drill tests.
        pair.database().forgetLostMasters();
    }
}
