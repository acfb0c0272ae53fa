package io.twinbell.lab.fault.process;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Fault: a requested switchover of the master role. */
public final class SwitchOver extends Fault {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    public SwitchOver() {
        super("switchover", "Asks the master to hand over; no process ends.", RoleEffect.SUCCESSOR);
    }

    /** The leaving master records its resignation, and its successor waits for nothing else. */
    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(Duration.ofSeconds(2));
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, NodeException, IOException {
        NodeClient master = stage.pair().client(stage.roles().master(), LIMIT);
        stage.strike("asked for a switchover", () -> {});
        master.post("/api/v1/cluster/switchover");
    }
}
