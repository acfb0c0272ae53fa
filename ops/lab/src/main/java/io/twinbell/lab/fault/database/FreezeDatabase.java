package io.twinbell.lab.fault.database;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/** Fault: the database hangs. */
public final class FreezeDatabase extends Fault {
    /** Longer than a heartbeat may be old, so that the master counts as dead when the database continues. */
    private static final Duration HANG = Duration.ofSeconds(6);

    public FreezeDatabase() {
        super("freeze-database", "Freezes PostgreSQL for " + HANG.toSeconds() + " s.", RoleEffect.SAME_MASTER);
    }

    @Override
    public Duration lasts() {
        return HANG;
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.DATABASE);
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        stage.freeze("PostgreSQL", stage.pair().servers().database());
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, IOException {
        stage.thaw("PostgreSQL", stage.pair().servers().database());
    }
}
