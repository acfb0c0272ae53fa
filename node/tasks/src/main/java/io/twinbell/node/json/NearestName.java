package io.twinbell.node.json;

import java.util.Collection;
import java.util.Optional;

/** Suggests the known name that is nearest to a misspelled one. */
public final class NearestName {
    private NearestName() {}

    /** Returns {@code "; did you mean …?"}, or an empty text if no known name is near. */
    public static String hint(String given, Collection<String> known) {
        return of(given, known).map(name -> "; did you mean \"" + name + "\"?").orElse("");
    }

    /** Returns the known name with the fewest edits, if at most a third of it changes. */
    public static Optional<String> of(String given, Collection<String> known) {
        if (given.length() > 100) {
            return Optional.empty();
        }
        String nearest = null;
        int fewest = Integer.MAX_VALUE;
        for (String name : known) {
            int most = Math.max(1, name.length() / 3);
            // Each letter more or less is an edit, so most names need not be compared letter by letter.
            if (Math.abs(name.length() - given.length()) <= Math.min(most, fewest - 1)) {
                int edits = edits(given, name);
                if (edits <= most && edits < fewest) {
                    nearest = name;
                    fewest = edits;
                }
            }
        }
        return Optional.ofNullable(nearest);
    }

    /** Returns the number of letters to insert, delete, replace or swap with a neighbour, ignoring case. */
    public static int edits(String from, String to) {
        int[][] edits = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                edits[i][j] = i == 0 || j == 0 ? i + j : minEdits(edits, i, j, from, to);
            }
        }
        return edits[from.length()][to.length()];
    }

    private static int minEdits(int[][] edits, int i, int j, String from, String to) {
        int replaced = edits[i - 1][j - 1] + (same(from, i - 1, to, j - 1) ? 0 : 1);
        int fewest = Math.min(replaced, 1 + Math.min(edits[i - 1][j], edits[i][j - 1]));
        boolean swapped = i > 1 && j > 1 && same(from, i - 1, to, j - 2) && same(from, i - 2, to, j - 1);
        return swapped ? Math.min(fewest, 1 + edits[i - 2][j - 2]) : fewest;
    }

    private static boolean same(String from, int i, String to, int j) {
        return Character.toLowerCase(from.charAt(i)) == Character.toLowerCase(to.charAt(j));
    }
}
