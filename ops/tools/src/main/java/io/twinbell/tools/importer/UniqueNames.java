package io.twinbell.tools.importer;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** Derives unique names from people's texts. */
final class UniqueNames {
    private static final int LONGEST = 60;

    private final Set<String> given = new HashSet<>();

    /** @param text a comment or a command; without a letter or digit the name is {@code job} */
    String of(String text) {
        String words = text.toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N}._]+", "-")
                .replaceAll("^[-._]+|[-._]+$", "");
        String name = words.isEmpty() ? "job" : cut(words);
        String unique = name;
        for (int i = 2; !given.add(unique); i++) {
            unique = name + "-" + i;
        }
        return unique;
    }

    private static String cut(String words) {
        if (words.length() <= LONGEST) {
            return words;
        }
        int end = words.lastIndexOf('-', LONGEST);
        return words.substring(0, end > LONGEST / 2 ? end : LONGEST);
    }
}
