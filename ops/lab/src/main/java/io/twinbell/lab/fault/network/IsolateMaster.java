package io.twinbell.lab.fault.network;

import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.NamespaceHosts;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.lab.stage.RoleAssignment;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Fault: the master reaches neither server nor the other node. It must start nothing, and does not learn of its
 * successor.
 */
public final class IsolateMaster extends OwnFault {
    private static final Duration DEAF = Duration.ofSeconds(40);

    public IsolateMaster() {
        super(
                "deaf-master",
                "Drops all traffic between the master and the servers and the other node until the standby has"
                        + " taken over, and for " + DEAF.toSeconds() + " s more; metrics scrapers still reach it.",
                RoleEffect.SUCCESSOR);
    }

    @Override
    public FaultRequirements requirements() {
        return FaultRequirements.NAMESPACES;
    }

    @Override
    public Duration lasts() {
        return DEAF;
    }

    @Override
    public Set<String> pages() {
        return Set.of("TwinbellTwoLeaders");
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.undo().add("restore the links", () -> join(stage.roles(), pair));
        stage.strike("isolated node " + stage.roles().master(), () -> cut(stage.roles(), pair));
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.heal("restored the links", () -> join(stage.roles(), pair));
    }

    private static List<String> ends(RoleAssignment roles, OwnPair pair) {
        List<String> ends = new ArrayList<>(pair.ensemble().members());
        ends.add(OwnPair.DATABASE);
        ends.add(roles.standby());
        return ends;
    }

    private static void cut(RoleAssignment roles, OwnPair pair) throws DrillException, IOException {
        NamespaceHosts network = pair.network();
        for (String end : ends(roles, pair)) {
            network.cut(end, roles.master());
            network.cut(roles.master(), end);
        }
    }

    private static void join(RoleAssignment roles, OwnPair pair) throws DrillException, IOException {
        for (String end : ends(roles, pair)) {
            pair.network().join(end, roles.master());
            pair.network().join(roles.master(), end);
        }
    }
}
