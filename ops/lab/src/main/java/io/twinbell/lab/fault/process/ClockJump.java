package io.twinbell.lab.fault.process;

import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.FaultTarget;
import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.FakeClock;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Fault: sets a node's wall clock forward or back while the node runs. */
public final class ClockJump extends OwnFault {
    private final FaultTarget target;
    private final Duration jump;

    /** @param jump how far ahead; negative for back */
    public ClockJump(FaultTarget target, Duration jump) {
        super(
                "clock-" + (jump.isNegative() ? "back-" : "forward-") + target.word(),
                "Sets the clock of the " + target.word() + " " + jump.abs().toMinutes() + " min "
                        + (jump.isNegative() ? "back" : "forward") + ", and corrects it after 10 s.",
                RoleEffect.SAME_MASTER);
        this.target = target;
        this.jump = jump;
    }

    @Override
    public FaultRequirements requirements() {
        return FaultRequirements.CLOCKS;
    }

    @Override
    public Duration lasts() {
        return Duration.ofSeconds(10);
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(Duration.ofSeconds(1));
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.clock(target));
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        FakeClock clock = pair.clockOf(target.of(stage.roles()));
        stage.undo().add("correct the clock", () -> clock.set(Duration.ZERO));
        stage.strike("set the clock of node " + target.of(stage.roles()) + " by " + jump, () -> clock.set(jump));
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        FakeClock clock = pair.clockOf(target.of(stage.roles()));
        stage.heal("corrected the clock", () -> clock.set(Duration.ZERO));
    }
}
