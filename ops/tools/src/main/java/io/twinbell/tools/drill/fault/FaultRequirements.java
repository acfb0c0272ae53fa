package io.twinbell.tools.drill.fault;

import io.twinbell.tools.drill.own.FakeClock;
import io.twinbell.tools.drill.own.InOwnNetwork;
import io.twinbell.tools.drill.own.PairLayout;

/** On which pairs a fault can be done, and what that takes. */
public enum FaultRequirements {
    ANY("any pair"),
    OWN("a pair of its own"),
    NAMESPACES("a pair of its own in network namespaces"),
    PROXIES("a pair of its own behind proxies"),
    CLOCKS("a pair of its own with libfaketime"),
    REPLICA("a pair of its own with a replica of PostgreSQL");

    private final String words;

    FaultRequirements(String words) {
        this.words = words;
    }

    /** What it takes, for people. */
    public String words() {
        return words;
    }

    /** How a drill's own pair must be laid out for it. */
    public PairLayout layout() {
        return switch (this) {
            case ANY, OWN -> InOwnNetwork.isInside() ? PairLayout.NAMESPACES : PairLayout.ONE_HOST;
            case NAMESPACES -> PairLayout.NAMESPACES;
            case PROXIES -> PairLayout.PROXIES;
            case CLOCKS -> PairLayout.CLOCKS;
            case REPLICA -> PairLayout.REPLICA;
        };
    }

    /** Whether a pair that is laid out so will do. */
    public boolean fits(PairLayout layout) {
        return switch (this) {
            case ANY -> true;
            // What these do to PostgreSQL knows of one server.
            case OWN -> layout != PairLayout.REPLICA;
            case NAMESPACES, PROXIES, CLOCKS, REPLICA -> layout() == layout;
        };
    }

    /** What this machine lacks for it, if a pair is started for it; null if nothing. */
    public String obstacle() {
        return switch (this) {
            case ANY, OWN, PROXIES, REPLICA -> null;
            case NAMESPACES -> InOwnNetwork.isInside() ? null : InOwnNetwork.obstacle();
            case CLOCKS -> FakeClock.library().isPresent() ? null : "libfaketime is not installed";
        };
    }
}
