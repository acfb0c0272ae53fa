package io.twinbell.tools.importer.systemd;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a time span of systemd.time(7): {@code 1h 30min}, {@code 90}, {@code 2 days}. */
final class TimeSpan {
    private static final Pattern PART = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,9})?)\\s*([a-zA-Zµ]*)\\s*");

    private static final int MAX_LENGTH = 200;
    /** A schedule of more is none. */
    private static final BigDecimal MAX_SECONDS =
            BigDecimal.valueOf(Duration.ofDays(36_525).toSeconds());

    private TimeSpan() {}

    /** @throws IllegalArgumentException if the text is no time span of whole milliseconds up to a century */
    static Duration of(String text) {
        if (text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("has a time span of more than " + MAX_LENGTH + " characters");
        }
        Matcher part = PART.matcher(text.strip());
        BigDecimal seconds = BigDecimal.ZERO;
        int end = 0;
        while (part.find() && part.start() == end) {
            seconds = seconds.add(new BigDecimal(part.group(1)).multiply(unit(part.group(2), text)));
            end = part.end();
        }
        if (end == 0 || end != text.strip().length()) {
            throw new IllegalArgumentException("has a time span that is not understood: " + text);
        }
        if (seconds.compareTo(MAX_SECONDS) > 0) {
            throw new IllegalArgumentException("has a time span of more than 100 years: " + text);
        }
        try {
            return Duration.ofMillis(seconds.movePointRight(3).longValueExact());
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("has a time span with a fraction of a millisecond: " + text);
        }
    }

    /** In seconds. Months are M, minutes are m: the only unit whose case counts. */
    private static BigDecimal unit(String name, String text) {
        if (name.equals("M")) {
            return BigDecimal.valueOf(2_629_800);
        }
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "", "s", "sec", "second", "seconds" -> BigDecimal.ONE;
            case "ms", "msec" -> new BigDecimal("1e-3");
            case "us", "usec", "µs" -> new BigDecimal("1e-6");
            case "m", "min", "minute", "minutes" -> BigDecimal.valueOf(60);
            case "h", "hr", "hour", "hours" -> BigDecimal.valueOf(3_600);
            case "d", "day", "days" -> BigDecimal.valueOf(86_400);
            case "w", "week", "weeks" -> BigDecimal.valueOf(604_800);
            case "month", "months" -> BigDecimal.valueOf(2_629_800);
            case "y", "year", "years" -> BigDecimal.valueOf(31_557_600);
            default -> throw new IllegalArgumentException("has a time span with an unknown unit: " + text);
        };
    }
}
