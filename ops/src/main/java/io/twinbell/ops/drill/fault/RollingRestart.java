package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;

/** A new version is rolled out. */
final class RollingRestart extends Fault {
    RollingRestart() {
        super("rolling-restart", "Stops and starts the standby, then the master, with SIGTERM.", Aftermath.SUCCESSOR);
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
