package io.twinbell.lab.fault.database;

import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/** Fault: PostgreSQL is stopped as by an administrator, and started again. */
public final class DatabaseOutage extends OwnFault {
    private final Duration lasts;

    /** @param lasts zero for a restart */
    public DatabaseOutage(Duration lasts) {
        super(
                lasts.isZero() ? "database-restart" : "database-outage",
                lasts.isZero()
                        ? "Restarts PostgreSQL."
                        : "Stops PostgreSQL, and starts it again after " + lasts.toSeconds() + " s.",
                RoleEffect.SAME_MASTER);
        this.lasts = lasts;
    }

    @Override
    public Duration lasts() {
        return lasts;
    }

    @Override
    public Set<String> pages() {
        return lasts.isZero() ? Set.of() : Set.of("TwinbellMasterSilent", "TwinbellNotFiring");
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.DATABASE);
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.undo().add("start PostgreSQL again", () -> {
            if (!pair.server().runs()) {
                pair.server().start();
            }
        });
        stage.strike("stopped PostgreSQL", pair.server()::stop);
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.heal("started PostgreSQL", pair.server()::start);
    }
}
