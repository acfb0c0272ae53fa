package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.own.OwnPair;
import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** The machine of a node is gone: its link is down, and nobody is told. */
final class LoseHost extends OwnFault {
    private static final Duration TRUST_WINDOW = Duration.ofSeconds(1);

    private final Actor actor;

    LoseHost(Actor actor) {
        super(
                "lose-" + actor.word() + "-host",
                "Takes the link of the " + actor.word() + "'s host down"
                        + (actor == Actor.MASTER ? " until the standby has taken over." : " for 5 s."),
                actor == Actor.MASTER ? Aftermath.SUCCESSOR : Aftermath.SAME_MASTER);
        this.actor = actor;
    }

    @Override
    public Venue venue() {
        return Venue.NAMESPACES;
    }

    @Override
    public Duration lasts() {
        return actor == Actor.MASTER ? Duration.ZERO : Duration.ofSeconds(5);
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(actor == Actor.MASTER ? Duration.ofMillis(1500) : Duration.ofSeconds(1));
    }

    /** Until its trust window has passed it starts what it has claimed. */
    @Override
    public Optional<Duration> straggle() {
        return actor == Actor.MASTER ? Optional.of(TRUST_WINDOW) : Optional.empty();
    }

    @Override
    Set<Part> parts() {
        return Set.of(Part.process(actor), Part.wayToDatabase(actor), Part.wayToZooKeeper(actor), Part.BETWEEN_NODES);
    }

    @Override
    boolean isMendedLast() {
        return true;
    }

    @Override
    Optional<Kept> keeps(Stage stage) {
        return Optional.of(kept(stage, actor.of(stage.cast()), TRUST_WINDOW));
    }

    @Override
    void strike(Stage stage, OwnPair pair) throws DrillException, IOException {
        String node = actor.of(stage.cast());
        stage.tidyUp()
                .afterwards(
                        "bring the link of node " + node + " up",
                        () -> pair.network().up(node));
        stage.strike(
                "took the link of node " + node + " down", () -> pair.network().down(node));
    }

    @Override
    void heal(Stage stage, OwnPair pair) throws DrillException, IOException {
        String node = actor.of(stage.cast());
        stage.heal(
                "brought the link of node " + node + " up", () -> pair.network().up(node));
        // Else the fourth round within ten minutes would be left to ZooKeeper, which is right and not what is drilled.
        pair.database().forgetLostMasters();
    }
}
