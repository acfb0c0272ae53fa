package io.twinbell.lab.fault.database;

import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/** Fault: the database server becomes a standby server without a primary, and is promoted again. */
public final class DemoteDatabase extends OwnFault {
    private static final Duration DEMOTED = Duration.ofSeconds(15);

    public DemoteDatabase() {
        super(
                "demote-database",
                "Restarts PostgreSQL as a standby server, which can be read but not written, and promotes it after "
                        + DEMOTED.toSeconds() + " s.",
                RoleEffect.SAME_MASTER);
    }

    @Override
    public Duration lasts() {
        return DEMOTED;
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.DATABASE);
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.undo().add("promote PostgreSQL again", () -> pair.server().promote());
        stage.strike("stopped PostgreSQL, and started it as a standby", pair.server()::demote);
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.heal("promoted PostgreSQL", pair.server()::promote);
    }
}
