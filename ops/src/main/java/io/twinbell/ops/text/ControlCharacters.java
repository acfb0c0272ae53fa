package io.twinbell.ops.text;

import java.util.regex.Pattern;

/**
 * Characters that a name or a reason must not contain, because nobody sees them, or because they control a terminal, end
 * a line or change the direction of the surrounding text: control characters, U+2028, U+2029 and the format characters
 * (category Cf), such as U+00AD, U+200B, U+202E, U+FEFF and U+E0041. The database functions that add tasks have the
 * same list; it is written out, because the category grows with each version of Unicode.
 *
 * <p>The joiners U+200C and U+200D are allowed between two characters of scripts that need them, and between the parts
 * of an emoji. Beside Latin, Greek and Cyrillic letters, digits, blanks and the ends of a text they have no effect but to
 * make two different names look the same.
 */
public final class ControlCharacters {
    /** What the list contains, for messages. */
    public static final String NAMED =
            "control characters, line separators or invisible format characters such as U+200E and U+FEFF";

    private static final String FORMAT =
            "\\xad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b\\u200e\\u200f"
                    + "\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\x{110bd}\\x{110cd}\\x{13430}-\\x{1343f}"
                    + "\\x{1bca0}-\\x{1bca3}\\x{1d173}-\\x{1d17a}\\x{e0000}-\\x{e007f}";
    /** From the Hebrew block on, without the punctuation block. */
    private static final String JOINABLE = "[\\u0590-\\u1fff\\u2190-\\x{10ffff}]";

    private static final String JOINER = "[\\u200c\\u200d]";
    private static final Pattern ANY = Pattern.compile("(?:[\\x00-\\x1f\\x7f-\\x9f" + FORMAT + "]|(?<!" + JOINABLE + ")"
            + JOINER + "|" + JOINER + "(?!" + JOINABLE + "))+");

    private ControlCharacters() {}

    /** Whether the text contains such a character. */
    public static boolean isIn(String text) {
        return ANY.matcher(text).find();
    }

    /** Replaces each run of such characters by one space, so that the text can be shown. */
    public static String spaced(String text) {
        return ANY.matcher(text).replaceAll(" ");
    }
}
