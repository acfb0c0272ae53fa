package io.twinbell.tools.importer;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Derives unique names from people's texts. */
final class UniqueNames {
    private static final int LONGEST = 60;
    /** No more of a text is read: the expressions below examine some characters more than once. */
    private static final int READ = 500;

    private final Set<String> given = new HashSet<>();
    /** The last number after each name, so that the search for the next one does not begin again. */
    private final Map<String, Integer> numbers = new HashMap<>();

    /** @param text a comment or a command; without a letter or digit the name is {@code job} */
    String of(String text) {
        String words = text.substring(0, whole(text, READ))
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N}._]+", "-")
                .replaceAll("^[-._]+|[-._]+$", "");
        String name = words.isEmpty() ? "job" : cut(words);
        String unique = name;
        while (!given.add(unique)) {
            unique = name + "-" + numbers.merge(name, 2, (number, two) -> number + 1);
        }
        return unique;
    }

    private static String cut(String words) {
        if (words.length() <= LONGEST) {
            return words;
        }
        int end = words.lastIndexOf('-', LONGEST);
        return words.substring(0, end > LONGEST / 2 ? end : whole(words, LONGEST));
    }

    /** At most this many characters, and not half of one. */
    private static int whole(String text, int length) {
        if (text.length() <= length) {
            return text.length();
        }
        return Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length;
    }
}
