package io.twinbell.tools.drill.fault.database;

import io.twinbell.tools.devpair.DatabaseOperator;
import io.twinbell.tools.drill.fault.Fault;
import io.twinbell.tools.drill.fault.FaultComponent;
import io.twinbell.tools.drill.stage.DrillException;
import io.twinbell.tools.drill.stage.DrillStage;
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
