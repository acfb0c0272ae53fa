package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Signals;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/** A crash of the database. */
final class CrashDatabase extends Fault {
    CrashDatabase() {
        super(
                "crash-database",
                "Kills a server process of PostgreSQL with SIGKILL, so that it recovers from its log.",
                Aftermath.SAME_MASTER);
    }

    @Override
    public Duration lasts() {
        return Duration.ofSeconds(3);
    }

    @Override
    Set<Part> parts() {
        return Set.of(Part.DATABASE);
    }

    @Override
    public void strike(Stage stage) throws DrillException, IOException {
        ProcessHandle session = stage.pair().servers().databaseSessions().get(0);
        stage.strike(
                "killed a server process of PostgreSQL, pid " + session.pid(), () -> Signals.send("KILL", session));
    }
}
