package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.own.Namespaces;
import io.twinbell.ops.drill.own.OwnPair;
import io.twinbell.ops.drill.stage.Cast;
import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The master reaches neither server nor the other node: it starts nothing, and does not hear that it has a successor. */
final class DeafMaster extends OwnFault {
    private static final Duration DEAF = Duration.ofSeconds(40);

    DeafMaster() {
        super(
                "deaf-master",
                "Drops everything between the master and both servers and the other node until the standby has taken over,"
                        + " and for " + DEAF.toSeconds() + " s more; whoever scrapes still reaches it.",
                Aftermath.SUCCESSOR);
    }

    @Override
    public Venue venue() {
        return Venue.NAMESPACES;
    }

    @Override
    public Duration lasts() {
        return DEAF;
    }

    @Override
    public Set<String> pages() {
        return Set.of("TwinbellTwoLeaders");
    }

    @Override
    void strike(Stage stage, OwnPair pair) throws DrillException, IOException {
        stage.tidyUp().afterwards("join what was cut", () -> join(stage.cast(), pair));
        stage.strike("cut node " + stage.cast().master() + " off", () -> cut(stage.cast(), pair));
    }

    @Override
    void heal(Stage stage, OwnPair pair) throws DrillException, IOException {
        stage.heal("joined what was cut", () -> join(stage.cast(), pair));
    }

    private static List<String> ends(Cast cast, OwnPair pair) {
        List<String> ends = new ArrayList<>(pair.ensemble().members());
        ends.add(OwnPair.DATABASE);
        ends.add(cast.standby());
        return ends;
    }

    private static void cut(Cast cast, OwnPair pair) throws DrillException, IOException {
        Namespaces network = pair.network();
        for (String end : ends(cast, pair)) {
            network.cut(end, cast.master());
            network.cut(cast.master(), end);
        }
    }

    private static void join(Cast cast, OwnPair pair) throws DrillException, IOException {
        for (String end : ends(cast, pair)) {
            pair.network().join(end, cast.master());
            pair.network().join(cast.master(), end);
        }
    }
}
