package io.twinbell.lab.fault;

import io.twinbell.lab.own.FakeClock;
import io.twinbell.lab.own.InOwnNetwork;
import io.twinbell.lab.own.PairLayout;

/** The kind of pair that a fault needs, with its requirements on the machine. */
public enum FaultRequirements {
    ANY("any pair"),
    OWN("a temporary pair"),
    NAMESPACES("a temporary pair in network namespaces"),
    PROXIES("a temporary pair behind proxies"),
    CLOCKS("a temporary pair with libfaketime"),
    REPLICA("a temporary pair with a replica of PostgreSQL"),
    DISK("a temporary pair whose PostgreSQL writes to the machine's disk");

    private final String words;

    FaultRequirements(String words) {
        this.words = words;
    }

    /** The requirements as text for people. */
    public String words() {
        return words;
    }

    /** The layout of a drill's own pair for the fault. */
    public PairLayout layout() {
        return switch (this) {
            case ANY, OWN -> InOwnNetwork.isInside() ? PairLayout.NAMESPACES : PairLayout.ONE_HOST;
            case NAMESPACES -> PairLayout.NAMESPACES;
            case PROXIES -> PairLayout.PROXIES;
            case CLOCKS -> PairLayout.CLOCKS;
            case REPLICA -> PairLayout.REPLICA;
            case DISK -> PairLayout.DISK;
        };
    }

    /** Whether a pair of this layout allows the fault. */
    public boolean fits(PairLayout layout) {
        return switch (this) {
            case ANY -> true;
            // These faults know only one PostgreSQL server.
            case OWN -> layout != PairLayout.REPLICA;
            case NAMESPACES, PROXIES, CLOCKS, REPLICA, DISK -> layout() == layout;
        };
    }

    /** What this machine lacks to start such a pair; null if nothing. */
    public String obstacle() {
        return switch (this) {
            case ANY, OWN, PROXIES, REPLICA, DISK -> null;
            case NAMESPACES -> InOwnNetwork.isInside() ? null : InOwnNetwork.obstacle();
            case CLOCKS -> FakeClock.library().isPresent() ? null : "libfaketime is not installed";
        };
    }
}
