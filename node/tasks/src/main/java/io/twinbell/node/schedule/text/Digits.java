package io.twinbell.node.schedule.text;

/** Reads ASCII digits at fixed positions of a text. */
public final class Digits {
    private Digits() {}

    /** Whether the text has this many ASCII digits from the position on. */
    public static boolean are(String text, int from, int count) {
        if (from + count > text.length()) {
            return false;
        }
        for (int i = from; i < from + count; i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    /** Returns the number that these digits form. */
    public static int number(String text, int from, int count) {
        return Integer.parseInt(text.substring(from, from + count));
    }
}
