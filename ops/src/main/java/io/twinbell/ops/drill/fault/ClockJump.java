package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.own.FakeClock;
import io.twinbell.ops.drill.own.OwnPair;
import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** The wall clock of a node is put forward or back while it runs. */
final class ClockJump extends OwnFault {
    private final Actor actor;
    private final Duration jump;

    /** @param jump ahead; negative for back */
    ClockJump(Actor actor, Duration jump) {
        super(
                "clock-" + (jump.isNegative() ? "back-" : "forward-") + actor.word(),
                "Puts the clock of the " + actor.word() + " " + jump.abs().toMinutes() + " min "
                        + (jump.isNegative() ? "back" : "forward") + ", and right again after 10 s.",
                Aftermath.SAME_MASTER);
        this.actor = actor;
        this.jump = jump;
    }

    @Override
    public Venue venue() {
        return Venue.CLOCKS;
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
    Set<Part> parts() {
        return Set.of(Part.clock(actor));
    }

    @Override
    void strike(Stage stage, OwnPair pair) throws DrillException, IOException {
        FakeClock clock = pair.clockOf(actor.of(stage.cast()));
        stage.tidyUp().afterwards("put the clock right", () -> clock.set(Duration.ZERO));
        stage.strike("put the clock of node " + actor.of(stage.cast()) + " by " + jump, () -> clock.set(jump));
    }

    @Override
    void heal(Stage stage, OwnPair pair) throws DrillException, IOException {
        FakeClock clock = pair.clockOf(actor.of(stage.cast()));
        stage.heal("put the clock right", () -> clock.set(Duration.ZERO));
    }
}
