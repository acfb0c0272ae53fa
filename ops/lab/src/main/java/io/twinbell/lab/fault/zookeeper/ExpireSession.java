package io.twinbell.lab.fault.zookeeper;

import io.twinbell.lab.fault.FaultTarget;
import io.twinbell.lab.server.ElectionOperator;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;

/** Fault: a node's ZooKeeper session is ended from outside. */
public final class ExpireSession extends ElectionFault {
    public ExpireSession(FaultTarget target) {
        super(
                "expire-" + target.word() + "-session",
                "Ends the " + target.word() + "'s ZooKeeper session from another client.",
                target);
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        ElectionOperator election = stage.pair().election();
        String node = node(stage);
        long session = election.entries().stream()
                .filter(electionEntry -> electionEntry.node().equals(node))
                .mapToLong(ElectionOperator.ElectionEntry::session)
                .findFirst()
                .orElseThrow(() -> new DrillException.Refused("node " + node + " does not take part in the election"));
        stage.strike("ended the ZooKeeper session of node " + node, () -> election.expire(session));
    }
}
