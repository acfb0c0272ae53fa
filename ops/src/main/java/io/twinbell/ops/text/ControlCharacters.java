package io.twinbell.ops.text;

import java.util.regex.Pattern;

/**
 * Characters that a name or a reason must not have, because they steer a terminal, end a line or turn the direction of the
 * text beside them: controls, U+2028 and U+2029, and the marks and overrides of bidirectional text. The functions of the
 * database that add tasks have the same list.
 */
public final class ControlCharacters {
    private static final Pattern ANY =
            Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]+");

    private ControlCharacters() {}

    /** Whether the text has one. */
    public static boolean isIn(String text) {
        return ANY.matcher(text).find();
    }

    /** The text with a space in place of each run of them, as it may be shown. */
    public static String spaced(String text) {
        return ANY.matcher(text).replaceAll(" ");
    }
}
