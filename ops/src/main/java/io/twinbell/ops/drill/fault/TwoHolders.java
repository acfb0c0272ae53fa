package io.twinbell.ops.drill.fault;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.ops.client.NodeClient;
import io.twinbell.ops.client.NodeException;
import io.twinbell.ops.drill.own.Namespaces;
import io.twinbell.ops.drill.own.OwnPair;
import io.twinbell.ops.drill.stage.Cast;
import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Two processes that both believe they hold the latch. */
final class TwoHolders extends OwnFault {
    /** A master looks at the latch every three seconds, and what it cannot reach it does not hold, as far as it says. */
    private static final int TRIES = 5;

    private static final Duration OFTEN = Duration.ofMillis(100);
    private static final Duration ANSWER = Duration.ofSeconds(1);

    private boolean wasSaid;

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
    void strike(Stage stage, OwnPair pair) throws DrillException, NodeException, IOException {
        Cast cast = stage.cast();
        stage.tidyUp().afterwards("join what was cut", () -> join(cast, pair));
        wasSaid = cutHolder(stage, pair);
        stage.tell("cut node " + cast.master() + " from ZooKeeper and from the other node; it says that it "
                + (wasSaid ? "holds" : "does not hold") + " the latch");
        stage.strike(
                "removed the entry of node " + cast.master(),
                () -> pair.election().remove(cast.master()));
    }

    /** Nothing that changes the belief can reach a node that has said it when it was cut off. */
    private static boolean cutHolder(Stage stage, OwnPair pair) throws DrillException, NodeException, IOException {
        Cast cast = stage.cast();
        NodeClient master = new NodeClient(pair.address(cast.master()), ANSWER);
        for (int time = 1; ; time++) {
            stage.watch().until("node " + cast.master() + " holds the latch", OFTEN, () -> saysHeld(master));
            cut(cast, pair);
            if (saysHeld(master)) {
                return true;
            }
            if (time == TRIES) {
                return false;
            }
            join(cast, pair);
        }
    }

    private static boolean saysHeld(NodeClient node) throws NodeException {
        return node.get("/api/v1/cluster/self").path("latchHeld").asBoolean();
    }

    @Override
    void heal(Stage stage, OwnPair pair) throws DrillException, IOException {
        stage.heal("joined what was cut", () -> join(stage.cast(), pair));
    }

    @Override
    public void expect(Stage stage) throws DrillException, NodeException {
        Cast cast = stage.cast();
        JsonNode history = new NodeClient(stage.pair().address(cast.standby()), ANSWER)
                .get("/api/v1/cluster")
                .path("history");
        Belief belief = Belief.of(wasSaid, history, cast.master(), cast.standby(), stage.faultMicros() / 1000);
        belief.complaints(cast.master(), cast.standby()).forEach(complaint -> stage.expect(false, complaint));
        if (belief.held().isPresent() && belief.laidDown().isPresent()) {
            stage.tell("both believed that they hold the latch for "
                    + (belief.laidDown().get() - belief.held().get()) + " ms");
        }
    }

    private static void cut(Cast cast, OwnPair pair) throws DrillException, IOException {
        Namespaces network = pair.network();
        for (String member : pair.ensemble().members()) {
            network.cut(member, cast.master());
        }
        network.cut(cast.standby(), cast.master());
    }

    private static void join(Cast cast, OwnPair pair) throws DrillException, IOException {
        for (String member : pair.ensemble().members()) {
            pair.network().join(member, cast.master());
        }
        pair.network().join(cast.standby(), cast.master());
    }
}
