package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.DrilledPair;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;

/** Crash after crash: whoever has become master is killed. */
final class KillLoop extends Fault {
    private static final int TIMES = 5;

    KillLoop() {
        super(
                "kill-loop",
                "Kills the master " + TIMES + " times, each as soon as it leads a whole pair, and starts it again.",
                Aftermath.ANY_MASTER);
    }

    @Override
    public void strike(Stage stage) throws DrillException, IOException {
        String master = stage.cast().master();
        for (int time = 0; time < TIMES; time++) {
            stage.kill(master);
            stage.awaitMaster(DrilledPair.other(master));
            stage.start(master);
            master = stage.awaitWhole();
        }
    }
}
