package io.twinbell.node.calendar.ical;

/** Quotes text of a file in error messages: short, and in one line. */
final class QuotedText {
    private static final int LONGEST = 60;

    private QuotedText() {}

    static String quoted(String text) {
        return '"' + shown(text) + '"';
    }

    static String shown(String text) {
        String shortened = text.codePointCount(0, text.length()) <= LONGEST
                ? text
                : text.substring(0, text.offsetByCodePoints(0, LONGEST)) + "…";
        return shortened.replaceAll("\\p{C}", "?");
    }

    /** Whether the text has this many ASCII digits from the position on. */
    static boolean isDigits(String text, int from, int count) {
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
    static int digits(String text, int from, int count) {
        return Integer.parseInt(text.substring(from, from + count));
    }
}
