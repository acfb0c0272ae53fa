package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import io.twinbell.ops.pair.ElectionOperator;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** An entry of the election vanishes without a word, as after an error that Curator only logs. */
final class LoseEntry extends Fault {
    private final Actor actor;

    LoseEntry(Actor actor) {
        super(
                "lose-" + actor.word() + "-entry",
                "Removes the " + actor.word() + "'s entry from the election by hand.",
                actor == Actor.MASTER ? Aftermath.SUCCESSOR : Aftermath.SAME_MASTER);
        this.actor = actor;
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(Duration.ofSeconds(1));
    }

    @Override
    Set<Part> parts() {
        return Set.of(Part.ZOOKEEPER);
    }

    @Override
    public void strike(Stage stage) throws DrillException, IOException {
        ElectionOperator election = stage.pair().election();
        String node = actor.of(stage.cast());
        stage.strike("removed the entry of node " + node, () -> {
            if (election.remove(node) == 0) {
                throw new DrillException.Refused("node " + node + " does not stand in the election");
            }
        });
    }

    @Override
    public void expect(Stage stage) throws DrillException, IOException {
        Line.expectWhole(stage);
    }
}
