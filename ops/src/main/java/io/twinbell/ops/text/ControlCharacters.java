package io.twinbell.ops.text;

import java.util.regex.Pattern;

/**
 * Characters that a name or a reason must not contain, because they control a terminal, end a line or change the
 * direction of the surrounding text: control characters, U+2028, U+2029 and bidirectional marks and overrides. The
 * database functions that add tasks have the same list.
 */
public final class ControlCharacters {
    private static final Pattern ANY =
            Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]+");

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
