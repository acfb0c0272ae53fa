package io.twinbell.lab.fault.process;

import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Fault: the successor's clock is wrong when it takes over. */
public final class SkewedSuccessor extends OwnFault {
    private static final Duration SETTLES = Duration.ofSeconds(4);

    private final Duration skew;

    /** @param skew how far ahead; negative for behind */
    public SkewedSuccessor(Duration skew) {
        super(
                "skewed-successor-" + (skew.isNegative() ? "behind" : "ahead"),
                "Sets the clock of the standby " + skew.abs().toMinutes() + " min "
                        + (skew.isNegative() ? "back" : "forward") + ", and kills the master.",
                RoleEffect.SUCCESSOR);
        this.skew = skew;
    }

    @Override
    public FaultRequirements requirements() {
        return FaultRequirements.CLOCKS;
    }

    /** Far below the timeout of the dead node's ZooKeeper session. */
    @Override
    public Optional<Duration> quietIfReady() {
        return Optional.of(Duration.ofSeconds(3));
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        String standby = stage.roles().standby();
        stage.undo().add("correct the clock", () -> pair.clockOf(standby).set(Duration.ZERO));
        pair.clockOf(standby).set(skew);
        stage.print("set the clock of node " + standby + " by " + skew);
        stage.poll().sleep(SETTLES);
        stage.kill(stage.roles().master());
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.start(stage.roles().master());
        stage.heal(
                "corrected the clock",
                () -> pair.clockOf(stage.roles().standby()).set(Duration.ZERO));
    }
}
