package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;

/** An ordinary end of the process. */
final class Stop extends Fault {
    Stop() {
        super("stop", "Stops the master with SIGTERM, so that it hands over and drains.", Aftermath.SUCCESSOR);
    }

    @Override
    public void strike(Stage stage) throws DrillException, IOException {
        stage.terminate(stage.cast().master());
    }

    @Override
    public void heal(Stage stage) throws DrillException, IOException {
        stage.start(stage.cast().master());
    }
}
