package io.twinbell.lab.fault.network;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.Fault.RoleEffect;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.FaultTarget;
import io.twinbell.lab.fault.PlainFault;
import io.twinbell.lab.own.NamespaceHosts;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.lab.stage.RoleAssignment;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A node is cut off from others, with no more than its links broken. */
public final class NetworkFaults {
    private static final Duration DEAF = Duration.ofSeconds(40);
    private static final Duration UNHEARD = Duration.ofSeconds(1);
    private static final Duration TRUST_WINDOW = Duration.ofSeconds(1);

    /**
     * The master reaches neither server nor the other node. It must start nothing, and does not learn of its successor.
     */
    public static final Fault DEAF_MASTER = PlainFault.of(
                    "deaf-master",
                    "Drops all traffic between the master and the servers and the other node until the standby has"
                            + " taken over, and for " + DEAF.toSeconds() + " s more; metrics scrapers still reach it.",
                    RoleEffect.SUCCESSOR)
            .requires(FaultRequirements.NAMESPACES)
            .lasts(DEAF)
            .pages("TwinbellTwoLeaders")
            .strikesOwn(
                    (stage, pair) -> {
                        RoleAssignment roles = stage.roles();
                        List<String> ends = everybodyElse(roles, pair);
                        stage.undo().add("restore the links", () -> join(pair, roles.master(), ends));
                        stage.strike("isolated node " + roles.master(), () -> cut(pair, roles.master(), ends));
                    },
                    (stage, pair) -> stage.heal(
                            "restored the links",
                            () -> join(pair, stage.roles().master(), everybodyElse(stage.roles(), pair))));

    /**
     * The master is stopped in the ordinary way while it cannot reach ZooKeeper. The successor checks twice, half a
     * second apart, and then ends the stopped node's session.
     */
    public static final Fault STOP_UNHEARD = PlainFault.of(
                    "stop-unheard",
                    "Drops all traffic between the master and ZooKeeper, and stops the master with SIGTERM a second"
                            + " later: it resigns but cannot leave the election.",
                    RoleEffect.SUCCESSOR)
            .requires(FaultRequirements.NAMESPACES)
            .quietAtMost(Duration.ofSeconds(2))
            .breaks(FaultComponent.MASTER, FaultComponent.MASTER_TO_ZOOKEEPER)
            .isRepairedLast()
            .strikesOwn(NetworkFaults::stopUnheard, (stage, pair) -> {
                String master = stage.roles().master();
                stage.heal(
                        "restored the links",
                        () -> join(pair, master, pair.ensemble().members()));
                stage.start(master);
            });

    private NetworkFaults() {}

    /**
     * A node's machine is lost: its link is down, and no peer gets an error. Until the end of its trust window the node
     * starts what it has claimed.
     */
    public static Fault lostHost(FaultTarget target) {
        boolean isMaster = target == FaultTarget.MASTER;
        PlainFault.Draft draft = PlainFault.of(
                        "lose-" + target.word() + "-host",
                        "Takes down the link of the " + target.word() + "'s host"
                                + (isMaster ? " until the standby has taken over." : " for 5 s."),
                        isMaster ? RoleEffect.SUCCESSOR : RoleEffect.SAME_MASTER)
                .requires(FaultRequirements.NAMESPACES)
                .lasts(isMaster ? Duration.ZERO : Duration.ofSeconds(5))
                .quietAtMost(isMaster ? Duration.ofMillis(1500) : Duration.ofSeconds(1))
                .isolates(target, TRUST_WINDOW)
                .breaks(
                        FaultComponent.process(target),
                        FaultComponent.wayToDatabase(target),
                        FaultComponent.wayToZooKeeper(target),
                        FaultComponent.BETWEEN_NODES)
                .isRepairedLast();
        if (isMaster) {
            draft.straggles(TRUST_WINDOW);
        }
        return draft.strikesOwn(
                (stage, pair) -> {
                    String node = target.of(stage.roles());
                    stage.undo()
                            .add(
                                    "bring up the link of node " + node,
                                    () -> pair.network().up(node));
                    stage.strike(
                            "took down the link of node " + node,
                            () -> pair.network().down(node));
                },
                (stage, pair) -> {
                    String node = target.of(stage.roles());
                    stage.heal(
                            "brought up the link of node " + node,
                            () -> pair.network().up(node));
                    // Otherwise the fourth round within ten minutes would be left to the ZooKeeper session timeout.
                    // That is correct, but it is not what this drill tests.
                    pair.database().forgetLostMasters();
                });
    }

    private static void stopUnheard(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        String master = stage.roles().master();
        List<String> ensemble = pair.ensemble().members();
        stage.undo().add("restore the links", () -> join(pair, master, ensemble));
        cut(pair, master, ensemble);
        stage.print("cut node " + master + " from ZooKeeper");
        stage.poll().sleep(UNHEARD);
        stage.terminate(master);
    }

    private static List<String> everybodyElse(RoleAssignment roles, OwnPair pair) {
        List<String> ends = new ArrayList<>(pair.ensemble().members());
        ends.add(OwnPair.DATABASE);
        ends.add(roles.standby());
        return ends;
    }

    private static void cut(OwnPair pair, String node, List<String> ends) throws DrillException, IOException {
        NamespaceHosts network = pair.network();
        for (String end : ends) {
            network.cut(end, node);
            network.cut(node, end);
        }
    }

    private static void join(OwnPair pair, String node, List<String> ends) throws DrillException, IOException {
        NamespaceHosts network = pair.network();
        for (String end : ends) {
            network.join(end, node);
            network.join(node, end);
        }
    }
}
