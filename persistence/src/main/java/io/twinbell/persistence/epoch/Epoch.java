package io.twinbell.persistence.epoch;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The authority to write, as a value: every claim and completion passes the epoch that it is made under, and the
 * database compares it in the same statement.
 *
 * @param number grows by at least one with every promotion
 * @param token random, known only to the owner, so that two processes with the same number cannot both write
 * @param node the owner's id
 * @param openedAtMillis when it was opened, by the database's clock
 */
public record Epoch(long number, UUID token, String node, long openedAtMillis) {
    /** An epoch that the database never contains, so statements under it change nothing. */
    public static final Epoch NOBODY = new Epoch(-1, new UUID(0, 0), "nobody", 0);

    /** Groups values by their epochs, both in the order in which they appear. */
    public static <T> Map<Epoch, List<T>> group(Collection<T> values, Function<T, Epoch> epoch) {
        return values.stream().collect(Collectors.groupingBy(epoch, LinkedHashMap::new, Collectors.toList()));
    }

    /** Handwritten because it is called for each run: a record's default goes through method handles. */
    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof Epoch epoch
                        && number == epoch.number
                        && token.equals(epoch.token)
                        && node.equals(epoch.node)
                        && openedAtMillis == epoch.openedAtMillis;
    }

    @Override
    public int hashCode() {
        return token.hashCode();
    }

    @Override
    public String toString() {
        return "epoch " + number + " of " + node;
    }
}
