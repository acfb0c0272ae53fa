package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/** No node of the pair is there for minutes. */
final class DarkPair extends Fault {
    private static final Duration DARK = Duration.ofSeconds(140);

    DarkPair() {
        super(
                "dark-pair",
                "Kills both nodes with SIGKILL, and starts them again after " + DARK.toSeconds() + " s.",
                Aftermath.ANY_MASTER);
    }

    @Override
    public Venue venue() {
        return Venue.OWN;
    }

    @Override
    public Epochs epochs() {
        return Epochs.exactly(1);
    }

    @Override
    public Duration lasts() {
        return DARK;
    }

    @Override
    public Set<String> pages() {
        return Set.of("TwinbellNoData");
    }

    @Override
    public void strike(Stage stage) throws DrillException, IOException {
        stage.process(stage.cast().standby());
        stage.kill(stage.cast().master());
        stage.kill(stage.cast().standby());
    }

    @Override
    public void heal(Stage stage) throws DrillException, IOException {
        stage.start(stage.cast().master());
        stage.start(stage.cast().standby());
    }
}
