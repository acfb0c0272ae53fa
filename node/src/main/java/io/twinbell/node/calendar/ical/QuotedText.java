package io.twinbell.node.calendar.ical;

/** Text of a file as an error quotes it: short, and in one line. */
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

    /** Whether it has that many ASCII digits from there on. */
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

    /** The number that those digits are. */
    static int digits(String text, int from, int count) {
        return Integer.parseInt(text.substring(from, from + count));
    }
}
