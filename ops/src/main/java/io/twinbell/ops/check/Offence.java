package io.twinbell.ops.check;

import java.util.Comparator;

/**
 * A rule that was broken, and where.
 *
 * @param slot null if it is about no single slot
 * @param detail what was found; may be empty
 */
public record Offence(Rule rule, Slot slot, String detail) implements Comparable<Offence> {
    private static final Comparator<Offence> IN_ORDER =
            Comparator.comparing(Offence::rule).thenComparing(Offence::slot, Comparator.nullsFirst(Slot::compareTo));

    @Override
    public int compareTo(Offence other) {
        return IN_ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return rule + (slot == null ? "" : " " + slot) + (detail.isEmpty() ? "" : ": " + detail);
    }
}
