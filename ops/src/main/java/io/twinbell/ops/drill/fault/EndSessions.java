package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Signals;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** An administrator who ends what he sees. */
final class EndSessions extends Fault {
    EndSessions() {
        super("end-sessions", "Ends every session of PostgreSQL at once.", Aftermath.SAME_MASTER);
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
        List<ProcessHandle> sessions = stage.pair().servers().databaseSessions();
        stage.strike("ended " + sessions.size() + " sessions of PostgreSQL", () -> Signals.sendAll("TERM", sessions));
    }
}
