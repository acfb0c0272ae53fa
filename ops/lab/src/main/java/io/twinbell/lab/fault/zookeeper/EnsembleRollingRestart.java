package io.twinbell.lab.fault.zookeeper;

import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Fault: the ZooKeeper servers are restarted one after another, as for an update. */
public final class EnsembleRollingRestart extends OwnFault {
    private static final Duration AWAY = Duration.ofSeconds(2);
    private static final Duration SETTLES = Duration.ofSeconds(6);

    public EnsembleRollingRestart() {
        super(
                "zookeeper-rolling-restart",
                "Kills and starts the three ZooKeeper servers one after the other, " + SETTLES.toSeconds()
                        + " s apart.",
                RoleEffect.SAME_MASTER);
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(Duration.ofSeconds(1));
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.undo().add("start ZooKeeper again", pair.ensemble()::startMissing);
        for (String member : pair.ensemble().members()) {
            stage.strike("killed " + member, () -> pair.ensemble().stop(member));
            stage.poll().sleep(AWAY);
            stage.heal("started " + member, () -> pair.ensemble().start(member));
            stage.poll().sleep(SETTLES);
        }
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) {
        // Each server has already been started again.
    }
}
