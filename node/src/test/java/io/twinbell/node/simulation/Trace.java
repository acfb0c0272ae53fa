package io.twinbell.node.simulation;

import java.util.ArrayDeque;
import java.util.Locale;

/** Records the events of a simulation: as lines for a person, and as a number by which two runs are compared. */
final class Trace {
    private static final int KEPT = 400_000;

    private final World world;
    private final ArrayDeque<String> lines = new ArrayDeque<>();
    private boolean keeps;
    private long digest = 1_125_899_906_842_597L;

    Trace(World world) {
        this.world = world;
    }

    /** Turns the lines on, which costs time. The number is always computed. */
    void keep() {
        keeps = true;
    }

    void say(Object who, String what) {
        String name = who == null ? "" : who.toString();
        digest = 31 * (31 * (31 * digest + world.now()) + name.hashCode()) + what.hashCode();
        if (keeps) {
            if (lines.size() == KEPT) {
                lines.removeFirst();
            }
            long micros = world.now() / 1000;
            lines.add(
                    String.format(Locale.ROOT, "%4d.%06d %-3s %s", micros / 1_000_000, micros % 1_000_000, name, what));
        }
    }

    /** A number that is equal only if all events are equal. */
    long digest() {
        return digest;
    }

    String text() {
        return String.join("\n", lines);
    }
}
