package io.twinbell.lab.fault.process;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/** Fault: the master dies while automatic takeover is on hold; there is no master until the hold is released. */
public final class HoldAndKill extends Fault {
    private static final Duration HELD = Duration.ofSeconds(50);
    private static final Duration ANSWER = Duration.ofSeconds(5);

    public HoldAndKill() {
        super(
                "held-back",
                "Puts automatic takeover on hold, kills the master with SIGKILL, and releases the hold after "
                        + HELD.toSeconds() + " s.",
                RoleEffect.ANY_MASTER);
    }

    @Override
    public FaultRequirements requirements() {
        return FaultRequirements.OWN;
    }

    @Override
    public Epochs epochs() {
        return Epochs.exactly(1);
    }

    @Override
    public Duration lasts() {
        return HELD;
    }

    @Override
    public Set<String> pages() {
        return Set.of("TwinbellNoLeader", "TwinbellTakeoverHeldBack", "TwinbellMasterSilent", "TwinbellNotFiring");
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, NodeException, IOException {
        NodeClient standby = standby(stage);
        stage.undo().add("release the hold", () -> release(standby));
        hold(standby);
        stage.print("put automatic takeover on hold");
        stage.kill(stage.roles().master());
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, NodeException, IOException {
        NodeClient standby = standby(stage);
        stage.heal("released the hold", () -> release(standby));
        stage.awaitMaster(stage.roles().standby());
        stage.start(stage.roles().master());
    }

    private static NodeClient standby(DrillStage stage) {
        return stage.pair().client(stage.roles().standby(), ANSWER);
    }

    private static void hold(NodeClient standby) throws NodeException {
        standby.post(
                "/api/v1/cluster/hold", JsonNodeFactory.instance.objectNode().put("reason", "drill"));
    }

    private static void release(NodeClient standby) throws IOException {
        try {
            standby.post("/api/v1/cluster/release");
        } catch (NodeException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
