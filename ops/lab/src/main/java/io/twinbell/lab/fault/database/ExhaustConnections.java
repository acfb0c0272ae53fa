package io.twinbell.lab.fault.database;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.server.DatabaseOperator;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/** Fault: other clients take every free connection of PostgreSQL. */
public final class ExhaustConnections extends Fault {
    private static final Duration TAKEN = Duration.ofSeconds(10);

    private final boolean alsoOurs;
    private DatabaseOperator.HeldResource taken;

    /** @param alsoOurs whether the nodes' sessions are ended, so that they find no connection at all */
    public ExhaustConnections(boolean alsoOurs) {
        super(
                alsoOurs ? "starve-connections" : "exhaust-connections",
                alsoOurs
                        ? "Ends the nodes' sessions with PostgreSQL and takes every connection for " + TAKEN.toSeconds()
                                + " s."
                        : "Takes every free connection of PostgreSQL for " + TAKEN.toSeconds() + " s.",
                RoleEffect.SAME_MASTER);
        this.alsoOurs = alsoOurs;
    }

    @Override
    public Duration lasts() {
        return TAKEN;
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.DATABASE);
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        DatabaseOperator database = stage.pair().database();
        stage.undo().add("release the connections", this::giveBack);
        stage.strike("took every connection of PostgreSQL", () -> {
            taken = database.takeConnections();
            if (alsoOurs) {
                database.endSessions();
                DatabaseOperator.HeldResource before = taken;
                DatabaseOperator.HeldResource more = database.takeConnections();
                taken = () -> {
                    more.close();
                    before.close();
                };
            }
        });
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, IOException {
        stage.heal("released the connections", this::giveBack);
    }

    private void giveBack() throws IOException {
        if (taken != null) {
            taken.close();
            taken = null;
        }
    }
}
