package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import io.twinbell.ops.pair.ElectionOperator;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** A ZooKeeper session ends that was in use. */
final class ExpireSession extends Fault {
    private final Actor actor;

    ExpireSession(Actor actor) {
        super(
                "expire-" + actor.word() + "-session",
                "Ends the " + actor.word() + "'s session with ZooKeeper from outside.",
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
        long session = election.line().stream()
                .filter(place -> place.node().equals(node))
                .mapToLong(ElectionOperator.Place::session)
                .findFirst()
                .orElseThrow(() -> new DrillException.Refused("node " + node + " does not stand in the election"));
        stage.strike("ended the ZooKeeper session of node " + node, () -> election.expire(session));
    }

    @Override
    public void expect(Stage stage) throws DrillException, IOException {
        Line.expectWhole(stage);
    }
}
