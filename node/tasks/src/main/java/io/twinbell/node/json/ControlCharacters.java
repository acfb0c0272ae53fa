package io.twinbell.node.json;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Characters that a name or a reason must not contain, because nobody sees them, or because they control a terminal, end
 * a line or change the direction of the surrounding text: control characters, U+2028, U+2029, the format characters
 * (category Cf) such as U+00AD, U+200B, U+202E, U+FEFF and U+E0041, and what else Unicode calls default ignorable, such
 * as U+034F and the filler U+3164. The database functions that add tasks have the same list; it is written out, because
 * both sets grow with each version of Unicode.
 *
 * <p>The joiners U+200C and U+200D are allowed between two characters of scripts that need them, and between the parts
 * of an emoji; variation selectors are allowed after such a character, after older signs that have an emoji form, and
 * in a keycap (a digit, U+FE0F, U+20E3). Beside other Latin, Greek and Cyrillic characters, blanks and the ends of a text
 * they have no effect but to make two different names look the same.
 */
public final class ControlCharacters {
    /** What the list contains, for messages. */
    public static final String NAMED =
            "control characters, line separators or invisible characters such as U+200E and U+FEFF";

    private static final String INVISIBLE =
            "\\xad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b"
                    + "\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\x{110bd}\\x{110cd}"
                    + "\\x{13430}-\\x{1343f}\\x{1bca0}-\\x{1bca3}\\x{1d173}-\\x{1d17a}\\x{e0000}-\\x{e00ff}"
                    + "\\x{e01f0}-\\x{e0fff}";
    /** From the Hebrew block on, without the punctuation block. */
    private static final String JOINABLE = "[\\u0590-\\u1fff\\u2190-\\x{10ffff}]";

    private static final String JOINER = "[\\u200c\\u200d]";
    /** As {@link #JOINABLE}, without the selectors, and with the older signs that have an emoji form. */
    private static final String VARIABLE = "[\\xa9\\xae\\u0590-\\u180a\\u1810-\\u1fff\\u203c\\u2049\\u2122\\u2139"
            + "\\u2190-\\ufdff\\ufe10-\\x{e00ff}]";

    private static final String SELECTOR = "[\\u180b-\\u180d\\u180f\\ufe00-\\ufe0f\\x{e0100}-\\x{e01ef}]";
    private static final String KEYCAP = "(?<=[0-9#*])\\ufe0f\\u20e3";
    private static final Pattern ANY = Pattern.compile("(?:[\\x00-\\x1f\\x7f-\\x9f" + INVISIBLE + "]|(?<!" + JOINABLE
            + ")" + JOINER + "|" + JOINER + "(?!" + JOINABLE + ")|(?!" + KEYCAP + ")(?<!" + VARIABLE + ")" + SELECTOR
            + ")+");

    private ControlCharacters() {}

    /** Whether the text contains such a character. */
    public static boolean isIn(String text) {
        return !isPrintableAscii(text) && ANY.matcher(text).find();
    }

    /** Most names and keys are. For them the expression would take half of the time of a program that stores tasks. */
    private static boolean isPrintableAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < ' ' || text.charAt(i) > '~') {
                return false;
            }
        }
        return true;
    }

    /** Replaces each run of such characters by one space, so that the text can be shown. */
    public static String spaced(String text) {
        return ANY.matcher(text).replaceAll(" ");
    }

    /** Replaces each such character by its JSON escape, in JSON on one line: a terminal shows them, and readers get them. */
    public static String escaped(String json) {
        return isPrintableAscii(json)
                ? json
                : ANY.matcher(json)
                        .replaceAll(found -> Matcher.quoteReplacement(found.group()
                                .chars()
                                .mapToObj(c -> String.format(Locale.ROOT, "\\u%04x", c))
                                .collect(Collectors.joining())));
    }
}
