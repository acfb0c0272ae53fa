package io.twinbell.tools.check;

import io.twinbell.tools.check.history.CheckedSlot;
import java.util.Comparator;

/**
 * A broken rule and where it was broken.
 *
 * @param slot null if the violation is not about a single slot
 * @param detail what was found; may be empty
 */
public record Violation(Rule rule, CheckedSlot slot, String detail) implements Comparable<Violation> {
    private static final Comparator<Violation> IN_ORDER = Comparator.comparing(Violation::rule)
            .thenComparing(Violation::slot, Comparator.nullsFirst(CheckedSlot::compareTo));

    @Override
    public int compareTo(Violation other) {
        return IN_ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return rule + (slot == null ? "" : " " + slot) + (detail.isEmpty() ? "" : ": " + detail);
    }
}
