package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;
import java.util.Set;

/** A crash of everybody. */
final class KillBoth extends Fault {
    KillBoth() {
        super("kill-both", "Kills both nodes with SIGKILL and starts them again.", Aftermath.ANY_MASTER);
    }

    /** Whoever is back first takes over, and the other one finds a living master. */
    @Override
    public Epochs epochs() {
        return Epochs.exactly(1);
    }

    @Override
    Set<Part> parts() {
        return Set.of(Part.MASTER, Part.STANDBY);
    }

    @Override
    boolean isMendedLast() {
        return true;
    }

    @Override
    public void strike(Stage stage) throws DrillException, IOException {
        // Both are looked for first: a master that is killed alone would have a successor.
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
