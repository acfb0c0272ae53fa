package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** A new version is rolled out. */
final class RollingRestart extends Fault {
    RollingRestart() {
        super("rolling-restart", "Stops and starts the standby, then the master, with SIGTERM.", Aftermath.SUCCESSOR);
    }

    /** The successor waits for nothing but the word. */
    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(Duration.ofSeconds(2));
    }

    @Override
    public void strike(Stage stage) throws DrillException, IOException {
        stage.terminate(stage.cast().standby());
        stage.start(stage.cast().standby());
        stage.awaitWhole();
        stage.endPrelude();
        stage.terminate(stage.cast().master());
    }

    @Override
    public void heal(Stage stage) throws DrillException, IOException {
        stage.start(stage.cast().master());
    }
}
