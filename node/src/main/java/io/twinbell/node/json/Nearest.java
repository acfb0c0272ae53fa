package io.twinbell.node.json;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Guesses which known name somebody meant. */
public final class Nearest {
    private Nearest() {}

    /** {@code "; did you mean …?"}, or an empty text if nothing known is near. */
    public static String hint(String given, Collection<String> known) {
        return of(given, known).map(name -> "; did you mean \"" + name + "\"?").orElse("");
    }

    /** The known name with the fewest edits, if a third of it or less has to change. */
    public static Optional<String> of(String given, Collection<String> known) {
        if (given.length() > 100) {
            return Optional.empty();
        }
        return known.stream()
                .min(Comparator.comparingInt(name -> edits(given, name)))
                .filter(name -> edits(given, name) <= Math.max(1, name.length() / 3));
    }

    /** Levenshtein's distance, case aside. */
    private static int edits(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                boolean same = Character.toLowerCase(from.charAt(i - 1)) == Character.toLowerCase(to.charAt(j - 1));
                int replaced = diagonal + (same ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[to.length()];
    }
}
