package io.twinbell.lab.fault.database;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.server.DatabaseOperator;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Fault: the session that holds the master's lock ends, so fast takeover wrongly suspects that the master is dead. */
public final class EndLockSession extends Fault {
    public EndLockSession() {
        super(
                "end-lock-session",
                "Ends the session with PostgreSQL that holds the master's lock.",
                RoleEffect.SAME_MASTER);
    }

    @Override
    public Duration lasts() {
        return Duration.ofSeconds(5);
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(Duration.ofSeconds(1));
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.DATABASE);
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        DatabaseOperator database = stage.pair().database();
        stage.strike("ended the session with the master's lock", () -> {
            if (database.endLockSession() == 0) {
                throw new DrillException.Refused("no session holds the master's lock");
            }
        });
    }
}
