package io.twinbell.lab.stage;

import io.twinbell.tools.client.NodeStatus;
import io.twinbell.tools.client.PairSnapshot;
import io.twinbell.tools.drill.DrillException;

/** The master and the standby at the beginning of a round. */
public record RoleAssignment(String master, String standby, long epoch) {
    /**
     * @throws DrillException.Refused unless a master and a standby run, are the pair's own nodes, and may take over
     */
    public static RoleAssignment of(DrilledPair pair, PairSnapshot status) throws DrillException.Refused {
        NodeStatus master = status.master()
                .orElseThrow(() -> new DrillException.Refused("there is not exactly one master: " + lines(status)));
        String standby = DrilledPair.other(master.id());
        boolean complete = status.nodes().stream().anyMatch(node -> node.isStandby() && standby.equals(node.id()));
        if (!complete) {
            throw new DrillException.Refused("there is no standby that could take over: " + lines(status));
        }
        if (status.isOnHold()) {
            throw new DrillException.Refused(
                    "automatic takeover is on hold, so the pair would not recover from a fault: run twinbell release");
        }
        if (!master.http().equals(pair.address(master.id()).toString())) {
            throw new DrillException.Refused(master.http() + " is not node " + master.id() + " of " + pair.run());
        }
        return new RoleAssignment(master.id(), standby, master.epoch());
    }

    private static String lines(PairSnapshot status) {
        return String.join(", ", status.nodes().stream().map(NodeStatus::line).toList());
    }
}
