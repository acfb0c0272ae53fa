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
}
