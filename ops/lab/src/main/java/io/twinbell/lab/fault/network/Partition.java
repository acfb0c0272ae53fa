package io.twinbell.lab.fault.network;

import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.FaultTarget;
import io.twinbell.lab.own.NamespaceHosts;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.lab.stage.DrilledPair;
import io.twinbell.lab.stage.RoleAssignment;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Fault: a network partition; packets between some nodes and some servers are dropped, in one or both directions. */
public final class Partition extends LinkFault {
    private final List<FaultTarget> from;
    private final OtherEnd otherEnd;
    private final DroppedDirection droppedDirection;

    /** The other end of the partition. */
    public enum OtherEnd {
        DATABASE,
        ZOOKEEPER,
        PEER
    }

    /** The direction that is dropped. */
    public enum DroppedDirection {
        BOTH(""),
        OUT("-out"),
        IN("-in");

        private final String suffix;

        DroppedDirection(String suffix) {
            this.suffix = suffix;
        }
    }

    private record CutLink(String from, String to) {}

    public Partition(
            List<FaultTarget> from, OtherEnd otherEnd, DroppedDirection droppedDirection, Expectation expectation) {
        super(
                name(from, otherEnd) + droppedDirection.suffix,
                description(from, otherEnd, droppedDirection, expectation),
                FaultRequirements.NAMESPACES,
                expectation);
        this.from = from;
        this.otherEnd = otherEnd;
        this.droppedDirection = droppedDirection;
    }

    private static String name(List<FaultTarget> from, OtherEnd otherEnd) {
        return "cut-" + (from.size() == 2 ? "both" : from.get(0).word()) + "-"
                + otherEnd.name().toLowerCase(Locale.ROOT);
    }

    private static String description(
            List<FaultTarget> from, OtherEnd otherEnd, DroppedDirection droppedDirection, Expectation expectation) {
        String who = from.size() == 2 ? "both nodes" : "the " + from.get(0).word();
        String whom = switch (otherEnd) {
            case DATABASE -> "PostgreSQL";
            case ZOOKEEPER -> "ZooKeeper";
            case PEER -> "the other node";
        };
        String what = switch (droppedDirection) {
            case BOTH -> "all traffic between " + who + " and " + whom;
            case OUT -> "all traffic from " + who + " to " + whom;
            case IN -> "all traffic from " + whom + " to " + who;
        };
        String until = expectation.roleEffect() == RoleEffect.SUCCESSOR
                ? " until the standby has taken over."
                : " for " + expectation.lasts().toSeconds() + " s.";
        return "Drops " + what + until;
    }

    @Override
    public Set<FaultComponent> parts() {
        return from.stream().map(this::part).collect(Collectors.toSet());
    }

    private FaultComponent part(FaultTarget target) {
        return switch (otherEnd) {
            case DATABASE -> FaultComponent.wayToDatabase(target);
            case ZOOKEEPER -> FaultComponent.wayToZooKeeper(target);
            case PEER -> FaultComponent.BETWEEN_NODES;
        };
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        NamespaceHosts network = pair.network();
        List<CutLink> links = links(stage.roles(), pair);
        stage.undo().add("restore the links", () -> join(network, links));
        stage.strike("cut " + links, () -> {
            for (CutLink link : links) {
                network.cut(link.from(), link.to());
            }
        });
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.heal("restored the links", () -> join(pair.network(), links(stage.roles(), pair)));
    }

    private static void join(NamespaceHosts network, List<CutLink> links) throws IOException {
        for (CutLink link : links) {
            network.join(link.from(), link.to());
        }
    }

    private List<CutLink> links(RoleAssignment roles, OwnPair pair) {
        List<CutLink> links = new ArrayList<>();
        for (FaultTarget target : from) {
            String node = target.of(roles);
            for (String end : ends(node, pair)) {
                if (droppedDirection != DroppedDirection.IN) {
                    links.add(new CutLink(node, end));
                }
                if (droppedDirection != DroppedDirection.OUT) {
                    links.add(new CutLink(end, node));
                }
            }
        }
        return links;
    }

    private List<String> ends(String node, OwnPair pair) {
        return switch (otherEnd) {
            case DATABASE -> List.of(OwnPair.DATABASE);
            case ZOOKEEPER -> pair.ensemble().members();
            case PEER -> List.of(DrilledPair.other(node));
        };
    }
}
