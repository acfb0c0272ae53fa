package io.twinbell.lab.fault.process;

import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.FakeClock;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Fault: the master's wall clock jumps forward and back repeatedly. */
public final class ClockStrobe extends OwnFault {
    private static final int TIMES = 6;
    private static final Duration JUMP = Duration.ofSeconds(20);
    private static final Duration BETWEEN = Duration.ofMillis(1500);

    public ClockStrobe() {
        super(
                "clock-strobe",
                "Sets the clock of the master " + JUMP.toSeconds() + " s forward and back again, " + TIMES + " times.",
                RoleEffect.SAME_MASTER);
    }

    @Override
    public FaultRequirements requirements() {
        return FaultRequirements.CLOCKS;
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(Duration.ofSeconds(1));
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.MASTER_CLOCK);
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        FakeClock clock = pair.clockOf(stage.roles().master());
        stage.undo().add("correct the clock", () -> clock.set(Duration.ZERO));
        for (int time = 0; time < TIMES; time++) {
            Duration ahead = time % 2 == 0 ? JUMP : JUMP.negated();
            stage.strike("set the clock of the master by " + ahead, () -> clock.set(ahead));
            stage.poll().sleep(BETWEEN);
        }
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.heal(
                "corrected the clock",
                () -> pair.clockOf(stage.roles().master()).set(Duration.ZERO));
    }
}
