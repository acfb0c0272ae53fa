package io.twinbell.lab.fault.zookeeper;

import io.twinbell.lab.fault.FaultTarget;
import io.twinbell.lab.server.ElectionOperator;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;

/** Fault: a node's election entry vanishes without notice, as after an error that Curator only logs. */
public final class DeleteElectionEntry extends ElectionFault {
    public DeleteElectionEntry(FaultTarget target) {
        super(
                "lose-" + target.word() + "-entry",
                "Removes the " + target.word() + "'s entry from the election.",
                target);
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        ElectionOperator election = stage.pair().election();
        String node = node(stage);
        stage.strike("removed the entry of node " + node, () -> {
            if (election.remove(node) == 0) {
                throw new DrillException.Refused("node " + node + " does not take part in the election");
            }
        });
    }
}
