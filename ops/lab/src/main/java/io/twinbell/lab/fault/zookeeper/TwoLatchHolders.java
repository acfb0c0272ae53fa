package io.twinbell.lab.fault.zookeeper;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.lab.fault.DoubleLatchCheck;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.NamespaceHosts;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.lab.stage.RoleAssignment;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Fault: two nodes both believe that they hold the latch. */
public final class TwoLatchHolders extends OwnFault {
    /** A master checks the latch every three seconds, and reports it as not held while it cannot reach ZooKeeper. */
    private static final int TRIES = 5;

    private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
    private static final Duration ANSWER = Duration.ofSeconds(1);

    private boolean wasSaid;

    public TwoLatchHolders() {
        super(
                "two-holders",
                "Removes the master's entry from the election and isolates the master from ZooKeeper and the other"
                        + " node, so that both nodes believe that they hold the latch.",
                RoleEffect.SUCCESSOR);
    }

    @Override
    public FaultRequirements requirements() {
        return FaultRequirements.NAMESPACES;
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(Duration.ofSeconds(2));
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, NodeException, IOException {
        RoleAssignment roles = stage.roles();
        stage.undo().add("restore the links", () -> join(roles, pair));
        wasSaid = cutHolder(stage, pair);
        stage.print("cut node " + roles.master() + " from ZooKeeper and from the other node; it reports that it "
                + (wasSaid ? "holds" : "does not hold") + " the latch");
        stage.strike(
                "removed the entry of node " + roles.master(),
                () -> pair.election().remove(roles.master()));
    }

    /**
     * Cuts the holder off while it reports that it holds the latch. Nothing can then reach it that would change this
     * belief.
     */
    private static boolean cutHolder(DrillStage stage, OwnPair pair) throws DrillException, NodeException, IOException {
        RoleAssignment roles = stage.roles();
        NodeClient master = pair.client(roles.master(), ANSWER);
        for (int time = 1; ; time++) {
            stage.poll().until("node " + roles.master() + " holds the latch", POLL_INTERVAL, () -> saysHeld(master));
            cut(roles, pair);
            if (saysHeld(master)) {
                return true;
            }
            if (time == TRIES) {
                return false;
            }
            join(roles, pair);
        }
    }

    private static boolean saysHeld(NodeClient node) throws NodeException {
        return node.get("/api/v1/cluster/self").path("latchHeld").asBoolean();
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.heal("restored the links", () -> join(stage.roles(), pair));
    }

    @Override
    public void expect(DrillStage stage) throws DrillException, NodeException {
        RoleAssignment roles = stage.roles();
        JsonNode history = stage.pair()
                .client(roles.standby(), ANSWER)
                .get("/api/v1/cluster")
                .path("history");
        DoubleLatchCheck latchCheck =
                DoubleLatchCheck.of(wasSaid, history, roles.master(), roles.standby(), stage.faultMicros() / 1000);
        latchCheck.complaints(roles.master(), roles.standby()).forEach(complaint -> stage.expect(false, complaint));
        if (latchCheck.held().isPresent() && latchCheck.laidDown().isPresent()) {
            stage.print("both nodes believed that they held the latch for "
                    + (latchCheck.laidDown().get() - latchCheck.held().get()) + " ms");
        }
    }

    private static void cut(RoleAssignment roles, OwnPair pair) throws DrillException, IOException {
        NamespaceHosts network = pair.network();
        for (String member : pair.ensemble().members()) {
            network.cut(member, roles.master());
        }
        network.cut(roles.standby(), roles.master());
    }

    private static void join(RoleAssignment roles, OwnPair pair) throws DrillException, IOException {
        for (String member : pair.ensemble().members()) {
            pair.network().join(member, roles.master());
        }
        pair.network().join(roles.standby(), roles.master());
    }
}
