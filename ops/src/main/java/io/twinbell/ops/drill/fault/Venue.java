package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.own.FakeClock;
import io.twinbell.ops.drill.own.InOwnNetwork;
import io.twinbell.ops.drill.own.Layout;

/** On which pairs a fault can be done, and what that takes. */
public enum Venue {
    ANY("any pair"),
    OWN("a pair of its own"),
    NAMESPACES("a pair of its own in network namespaces"),
    PROXIES("a pair of its own behind proxies"),
    CLOCKS("a pair of its own with libfaketime"),
    REPLICA("a pair of its own with a replica of PostgreSQL");

    private final String words;

    Venue(String words) {
        this.words = words;
    }

    /** What it takes, for people. */
    public String words() {
        return words;
    }

    /** How a drill's own pair must be laid out for it. */
    public Layout layout() {
        return switch (this) {
            case ANY, OWN -> InOwnNetwork.isInside() ? Layout.NAMESPACES : Layout.ONE_HOST;
            case NAMESPACES -> Layout.NAMESPACES;
            case PROXIES -> Layout.PROXIES;
            case CLOCKS -> Layout.CLOCKS;
            case REPLICA -> Layout.REPLICA;
        };
    }

    /** Whether a pair that is laid out so will do. */
    public boolean fits(Layout layout) {
        return switch (this) {
            case ANY -> true;
            // What these do to PostgreSQL knows of one server.
            case OWN -> layout != Layout.REPLICA;
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
