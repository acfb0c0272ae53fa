package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A process that hangs for less than its ZooKeeper session lives: a long collection of garbage, a busy host. */
final class Pause extends Fault {
    private static final Duration PAUSE = Duration.ofSeconds(3);

    private final Actor actor;

    Pause(Actor actor) {
        super(
                "pause-" + actor.word(),
                "Freezes the " + actor.word() + " with SIGSTOP for " + PAUSE.toSeconds() + " s.",
                Aftermath.SAME_MASTER);
        this.actor = actor;
    }

    @Override
    public Duration lasts() {
        return PAUSE;
    }

    @Override
    Set<Part> parts() {
        return Set.of(Part.process(actor));
    }

    @Override
    Optional<Kept> keeps(Stage stage) {
        return Optional.of(kept(stage, actor.of(stage.cast()), Duration.ZERO));
    }

    @Override
    public void strike(Stage stage) throws DrillException, IOException {
        String node = actor.of(stage.cast());
        stage.freeze("node " + node, List.of(stage.process(node)));
    }

    @Override
    public void heal(Stage stage) throws DrillException, IOException {
        String node = actor.of(stage.cast());
        stage.thaw("node " + node, List.of(stage.process(node)));
    }
}
