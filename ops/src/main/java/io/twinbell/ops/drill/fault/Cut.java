package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.own.Namespaces;
import io.twinbell.ops.drill.own.OwnPair;
import io.twinbell.ops.drill.stage.Cast;
import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.DrilledPair;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** A partition: what some nodes send to some servers, or get from them, is dropped on the way. */
final class Cut extends OwnFault {
    private final List<Actor> from;
    private final To to;
    private final Way way;
    private final Terms terms;

    /** The other end. */
    enum To {
        DATABASE,
        ZOOKEEPER,
        PEER
    }

    /** Which direction is lost. */
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
     * What is owed.
     *
     * @param quietAtMost null if that is only told
     */
    record Terms(Aftermath aftermath, Duration lasts, Duration quietAtMost) {}

    private record Link(String from, String to) {}

    Cut(List<Actor> from, To to, Way way, Terms terms) {
        super(name(from, to) + way.suffix, description(from, to, way, terms), terms.aftermath());
        this.from = from;
        this.to = to;
        this.way = way;
        this.terms = terms;
    }

    private static String name(List<Actor> from, To to) {
        return "cut-" + (from.size() == 2 ? "both" : from.get(0).word()) + "-"
                + to.name().toLowerCase(Locale.ROOT);
    }

    private static String description(List<Actor> from, To to, Way way, Terms terms) {
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
    public Venue venue() {
        return Venue.NAMESPACES;
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
    Set<Part> parts() {
        return from.stream().map(this::part).collect(Collectors.toSet());
    }

    private Part part(Actor actor) {
        return switch (to) {
            case DATABASE -> Part.wayToDatabase(actor);
            case ZOOKEEPER -> Part.wayToZooKeeper(actor);
            case PEER -> Part.BETWEEN_NODES;
        };
    }

    @Override
    void strike(Stage stage, OwnPair pair) throws DrillException, IOException {
        Namespaces network = pair.network();
        List<Link> links = links(stage.cast(), pair);
        stage.tidyUp().afterwards("join what was cut", () -> join(network, links));
        stage.strike("cut " + links, () -> {
            for (Link link : links) {
                network.cut(link.from(), link.to());
            }
        });
    }

    @Override
    void heal(Stage stage, OwnPair pair) throws DrillException, IOException {
        stage.heal("joined what was cut", () -> join(pair.network(), links(stage.cast(), pair)));
    }

    private static void join(Namespaces network, List<Link> links) throws IOException {
        for (Link link : links) {
            network.join(link.from(), link.to());
        }
    }

    private List<Link> links(Cast cast, OwnPair pair) {
        List<Link> links = new ArrayList<>();
        for (Actor actor : from) {
            String node = actor.of(cast);
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
