package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.own.Namespaces;
import io.twinbell.ops.drill.own.OwnPair;
import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Two processes that both believe they hold the latch. */
final class TwoHolders extends OwnFault {
    TwoHolders() {
        super(
                "two-holders",
                "Removes the master's entry from the election, and lets it hear nothing of that from ZooKeeper or the"
                        + " other node, so that both believe they hold the latch.",
                Aftermath.SUCCESSOR);
    }

    @Override
    public Venue venue() {
        return Venue.NAMESPACES;
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(Duration.ofSeconds(2));
    }

    @Override
    void strike(Stage stage, OwnPair pair) throws DrillException, IOException {
        String master = stage.cast().master();
        Namespaces network = pair.network();
        stage.tidyUp().afterwards("join what was cut", () -> join(stage, pair));
        stage.strike("cut node " + master + " from ZooKeeper and from the other node, and removed its entry", () -> {
            for (String member : pair.ensemble().members()) {
                network.cut(member, master);
            }
            network.cut(stage.cast().standby(), master);
            pair.election().remove(master);
        });
    }

    @Override
    void heal(Stage stage, OwnPair pair) throws DrillException, IOException {
        stage.heal("joined what was cut", () -> join(stage, pair));
    }

    private static void join(Stage stage, OwnPair pair) throws DrillException, IOException {
        String master = stage.cast().master();
        for (String member : pair.ensemble().members()) {
            pair.network().join(member, master);
        }
        pair.network().join(stage.cast().standby(), master);
    }
}
