package io.twinbell.lab.fault.process;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.lab.stage.DrilledPair;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;

/** Fault: the master crashes, and so does its successor during the promotion. */
public final class KillPromoting extends Fault {
    /** The approximate time of a promotion after a kill. */
    private static final int WITHIN_MILLIS = 300;

    public KillPromoting() {
        super(
                "kill-promoting",
                "Kills the master, and its successor at a random moment within " + WITHIN_MILLIS
                        + " ms, while it is promoted; starts both.",
                RoleEffect.ANY_MASTER);
    }

    /** The successor may have opened its epoch before it was killed; the first node to return opens one more. */
    @Override
    public Epochs epochs() {
        return new Epochs(1, 2);
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        stage.process(stage.roles().standby());
        stage.kill(stage.roles().master());
        long micros = stage.random().nextLong(WITHIN_MILLIS * 1000L);
        stage.poll().sleep(Duration.ofNanos(micros * 1000));
        stage.kill(stage.roles().standby());
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, IOException {
        stage.start(DrilledPair.other(stage.roles().master()));
        stage.start(stage.roles().master());
    }
}
