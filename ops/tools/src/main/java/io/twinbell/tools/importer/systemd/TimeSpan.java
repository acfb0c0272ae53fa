package io.twinbell.tools.importer.systemd;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a time span of systemd.time(7): {@code 1h 30min}, {@code 90}, {@code 2 days}. */
final class TimeSpan {
    private static final Pattern PART = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,9})?)\\s*([a-zA-Zµ]*)\\s*");

    private TimeSpan() {}

    /** @throws IllegalArgumentException if the text is no time span */
    static Duration of(String text) {
        Matcher part = PART.matcher(text.strip());
        double seconds = 0;
        int end = 0;
        while (part.find() && part.start() == end) {
            seconds += Double.parseDouble(part.group(1)) * unit(part.group(2), text);
            end = part.end();
        }
        if (end == 0 || end != text.strip().length()) {
            throw new IllegalArgumentException("has a time span that is not understood: " + text);
        }
        return Duration.ofMillis(Math.round(seconds * 1000));
    }

    /** In seconds. Months are M, minutes are m: the only unit whose case counts. */
    private static double unit(String name, String text) {
        if (name.equals("M")) {
            return 2_629_800;
        }
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "", "s", "sec", "second", "seconds" -> 1;
            case "ms", "msec" -> 1e-3;
            case "us", "usec", "µs" -> 1e-6;
            case "m", "min", "minute", "minutes" -> 60;
            case "h", "hr", "hour", "hours" -> 3_600;
            case "d", "day", "days" -> 86_400;
            case "w", "week", "weeks" -> 604_800;
            case "month", "months" -> 2_629_800;
            case "y", "year", "years" -> 31_557_600;
            default -> throw new IllegalArgumentException("has a time span with an unknown unit: " + text);
        };
    }
}
