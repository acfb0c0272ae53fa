package io.twinbell.lab.fault.database;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import io.twinbell.tools.drill.ProcessSignals;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/** Fault: the database crashes and recovers. */
public final class CrashDatabase extends Fault {
    public CrashDatabase() {
        super(
                "crash-database",
                "Kills a server process of PostgreSQL with SIGKILL, so that it recovers from its log.",
                RoleEffect.SAME_MASTER);
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
        ProcessHandle session = stage.pair().servers().databaseSessions().get(0);
        stage.strike(
                "killed a server process of PostgreSQL, pid " + session.pid(),
                () -> ProcessSignals.send("KILL", session));
    }
}
