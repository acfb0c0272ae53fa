package io.twinbell.node.schedule;

/** Quotes typed text for a message: short, and without characters that could harm a terminal or a log. */
final class SafeQuote {
    private static final int MAX_SHOWN = 40;

    private SafeQuote() {}

    static String of(String text) {
        StringBuilder shown = new StringBuilder("\"");
        for (int i = 0; i < Math.min(text.length(), MAX_SHOWN); i++) {
            char c = text.charAt(i);
            shown.append(c < ' ' || c > '~' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
        }
        return shown.append(text.length() > MAX_SHOWN ? "…\"" : "\"").toString();
    }
}
