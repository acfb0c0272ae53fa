package io.twinbell.lab.fault.database;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import io.twinbell.tools.drill.ProcessSignals;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Fault: an administrator ends the nodes' database sessions. */
public final class EndSessions extends Fault {
    public EndSessions() {
        super("end-sessions", "Ends every session of PostgreSQL at once.", RoleEffect.SAME_MASTER);
    }

    @Override
    public Duration lasts() {
        return Duration.ofSeconds(3);
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.DATABASE);
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        List<ProcessHandle> sessions = stage.pair().servers().databaseSessions();
        stage.strike(
                "ended " + sessions.size() + " sessions of PostgreSQL", () -> ProcessSignals.sendAll("TERM", sessions));
    }
}
