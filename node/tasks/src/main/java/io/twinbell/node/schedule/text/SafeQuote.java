package io.twinbell.node.schedule.text;

import java.util.Locale;

/** Quotes typed text for a message: short, and without characters that could harm a terminal or a log. */
public final class SafeQuote {
    private static final int MAX_SHOWN = 40;

    private SafeQuote() {}

    public static String of(String text) {
        StringBuilder shown = new StringBuilder("\"");
        for (int i = 0; i < Math.min(text.length(), MAX_SHOWN); i++) {
            char c = text.charAt(i);
            shown.append(c < ' ' || c > '~' ? String.format(Locale.ROOT, "\\u%04x", (int) c) : String.valueOf(c));
        }
        return shown.append(text.length() > MAX_SHOWN ? "…\"" : "\"").toString();
    }
}
