package io.twinbell.tools.drill.fault;

import io.twinbell.tools.drill.own.NamespaceHosts;
import io.twinbell.tools.drill.own.OwnPair;
import io.twinbell.tools.drill.stage.DrillException;
import io.twinbell.tools.drill.stage.DrillStage;
import io.twinbell.tools.drill.stage.DrilledPair;
import io.twinbell.tools.drill.stage.RoleAssignment;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Fault: a network partition; packets between some nodes and some servers are dropped, in one or both directions. */
final class Partition extends OwnFault {
    private final List<FaultTarget> from;
    private final To to;
    private final Way way;
    private final Terms terms;

    /** The other end of the partition. */
    enum To {
        DATABASE,
        ZOOKEEPER,
        PEER
    }

    /** The direction that is dropped. */
    enum Way {
        BOTH(""),
        OUT("-out"),
        IN("-in");

        private final String suffix;

        Way(String suffix) {
            this.suffix = suffix;
        }
    }

    /**
     * What the pair owes.
     *
     * @param quietAtMost null if the gap is only reported
     */
    record Terms(Aftermath aftermath, Duration lasts, Duration quietAtMost) {}

    private record Link(String from, String to) {}

    Partition(List<FaultTarget> from, To to, Way way, Terms terms) {
        super(name(from, to) + way.suffix, description(from, to, way, terms), terms.aftermath());
        this.from = from;
        this.to = to;
        this.way = way;
        this.terms = terms;
    }

    private static String name(List<FaultTarget> from, To to) {
        return "cut-" + (from.size() == 2 ? "both" : from.get(0).word()) + "-"
                + to.name().toLowerCase(Locale.ROOT);
    }

    private static String description(List<FaultTarget> from, To to, Way way, Terms terms) {
        String who = from.size() == 2 ? "both nodes" : "the " + from.get(0).word();
        String whom = switch (to) {
            case DATABASE -> "PostgreSQL";
            case ZOOKEEPER -> "ZooKeeper";
            case PEER -> "the other node";
        };
        String what = switch (way) {
            case BOTH -> "everything between " + who + " and " + whom;
            case OUT -> "what " + who + " sends to " + whom;
            case IN -> "what " + who + " would get from " + whom;
        };
        String until = terms.aftermath() == Aftermath.SUCCESSOR
                ? " until the standby has taken over."
                : " for " + terms.lasts().toSeconds() + " s.";
        return "Drops " + what + until;
    }

    @Override
    public FaultRequirements requirements() {
        return FaultRequirements.NAMESPACES;
    }

    @Override
    public Duration lasts() {
        return terms.lasts();
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.ofNullable(terms.quietAtMost());
    }

    @Override
    Set<FaultComponent> parts() {
        return from.stream().map(this::part).collect(Collectors.toSet());
    }

    private FaultComponent part(FaultTarget target) {
        return switch (to) {
            case DATABASE -> FaultComponent.wayToDatabase(target);
            case ZOOKEEPER -> FaultComponent.wayToZooKeeper(target);
            case PEER -> FaultComponent.BETWEEN_NODES;
        };
    }

    @Override
    void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        NamespaceHosts network = pair.network();
        List<Link> links = links(stage.roles(), pair);
        stage.undo().afterwards("join what was cut", () -> join(network, links));
        stage.strike("cut " + links, () -> {
            for (Link link : links) {
                network.cut(link.from(), link.to());
            }
        });
    }

    @Override
    void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.heal("joined what was cut", () -> join(pair.network(), links(stage.roles(), pair)));
    }

    private static void join(NamespaceHosts network, List<Link> links) throws IOException {
        for (Link link : links) {
            network.join(link.from(), link.to());
        }
    }

    private List<Link> links(RoleAssignment roles, OwnPair pair) {
        List<Link> links = new ArrayList<>();
        for (FaultTarget target : from) {
            String node = target.of(roles);
            for (String end : ends(node, pair)) {
                if (way != Way.IN) {
                    links.add(new Link(node, end));
                }
                if (way != Way.OUT) {
                    links.add(new Link(end, node));
                }
            }
        }
        return links;
    }

    private List<String> ends(String node, OwnPair pair) {
        return switch (to) {
            case DATABASE -> List.of(OwnPair.DATABASE);
            case ZOOKEEPER -> pair.ensemble().members();
            case PEER -> List.of(DrilledPair.other(node));
        };
    }
}
