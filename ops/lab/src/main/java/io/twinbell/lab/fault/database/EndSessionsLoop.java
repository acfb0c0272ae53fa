package io.twinbell.lab.fault.database;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.server.DatabaseOperator;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/**
 * Fault: the nodes' database sessions end again and again, as with a restarting pooler or a firewall that drops
 * connections.
 */
public final class EndSessionsLoop extends Fault {
    private static final int TIMES = 20;
    private static final Duration BETWEEN = Duration.ofMillis(250);

    public EndSessionsLoop() {
        super(
                "end-sessions-loop",
                "Ends every session of the nodes with PostgreSQL " + TIMES + " times, every " + BETWEEN.toMillis()
                        + " ms.",
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
        DatabaseOperator database = stage.pair().database();
        for (int time = 0; time < TIMES; time++) {
            stage.strike("ended the sessions with PostgreSQL, time " + (time + 1), database::endSessions);
            stage.poll().sleep(BETWEEN);
        }
    }
}
