package io.twinbell.node.schedule.text;

import io.twinbell.node.engine.task.ScheduleException;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and describes durations in schedules, written in ISO-8601 ({@code PT1H30M}) or as in Go ({@code 1h30m}). */
public final class Interval {
    static final long SHORTEST = 10;
    static final long LONGEST = Duration.ofDays(3653).toMillis();

    private static final int MAX_LENGTH = 64;
    private static final Pattern CALENDAR_UNITS = Pattern.compile("[+-]?P[^T]*[YM].*", Pattern.CASE_INSENSITIVE);
    private static final Pattern WEEKS = Pattern.compile("\\+?P(\\d{1,4})W", Pattern.CASE_INSENSITIVE);
    private static final Pattern GO_TERM = Pattern.compile("(\\d{1,18}(?:\\.\\d{1,18})?)(ms|h|m|s)");
    private static final String[] NAMES = {"day", "hour", "minute", "second", "millisecond"};
    private static final long[] UNITS = {86_400_000, 3_600_000, 60_000, 1_000, 1};

    private Interval() {}

    /** Returns a repeating interval in whole milliseconds, 10 ms to ten years. */
    public static long period(String pointer, String text) {
        long millis = millis(pointer, text);
        if (millis < SHORTEST || millis > LONGEST) {
            throw refused(pointer, text, "allowed are 10 ms to ten years (P3653D)");
        }
        return millis;
    }

    /** Returns a single delay in whole milliseconds, zero to ten years. */
    public static long delay(String pointer, String text) {
        long millis = millis(pointer, text);
        if (millis < 0 || millis > LONGEST) {
            throw refused(pointer, text, "allowed are PT0S to ten years (P3653D)");
        }
        return millis;
    }

    /** Describes a duration, for example "1 hour 30 minutes". */
    public static String words(long millis) {
        List<String> words = new ArrayList<>();
        long rest = millis;
        for (int i = 0; i < UNITS.length; i++) {
            long count = rest / UNITS[i];
            if (count > 0) {
                words.add(count + " " + NAMES[i] + (count == 1 ? "" : "s"));
            }
            rest %= UNITS[i];
        }
        return words.isEmpty() ? "0 milliseconds" : String.join(" ", words);
    }

    private static long millis(String pointer, String text) {
        if (text.length() > MAX_LENGTH) {
            throw refused(pointer, text, "a duration has at most " + MAX_LENGTH + " characters");
        }
        if (CALENDAR_UNITS.matcher(text).matches()) {
            throw refused(
                    pointer,
                    text,
                    "years and months have no fixed length: use days (P30D) or a cron expression; minutes come after a T"
                            + " (PT5M)");
        }
        Matcher weeks = WEEKS.matcher(text);
        if (weeks.matches()) {
            return Duration.ofDays(7L * Integer.parseInt(weeks.group(1))).toMillis();
        }
        boolean iso = text.toUpperCase(Locale.ROOT).contains("P");
        return wholeMillis(pointer, text, iso ? isoSeconds(pointer, text) : goSeconds(pointer, text));
    }

    private static long wholeMillis(String pointer, String text, BigDecimal seconds) {
        try {
            return seconds.movePointRight(3).longValueExact();
        } catch (ArithmeticException e) {
            throw refused(pointer, text, "it must be a whole number of milliseconds, at most ten years");
        }
    }

    private static BigDecimal isoSeconds(String pointer, String text) {
        try {
            Duration duration = Duration.parse(text);
            return BigDecimal.valueOf(duration.getSeconds()).add(BigDecimal.valueOf(duration.getNano(), 9));
        } catch (DateTimeException | ArithmeticException e) {
            throw notADuration(pointer, text);
        }
    }

    private static BigDecimal goSeconds(String pointer, String text) {
        Matcher term = GO_TERM.matcher(text);
        BigDecimal sum = BigDecimal.ZERO;
        int read = 0;
        while (read < text.length()) {
            if (!term.find(read) || term.start() != read) {
                throw notADuration(pointer, text);
            }
            sum = sum.add(new BigDecimal(term.group(1)).multiply(unitSeconds(term.group(2))));
            read = term.end();
        }
        if (read == 0) {
            throw notADuration(pointer, text);
        }
        return sum;
    }

    private static BigDecimal unitSeconds(String unit) {
        return switch (unit) {
            case "h" -> BigDecimal.valueOf(3600);
            case "m" -> BigDecimal.valueOf(60);
            case "s" -> BigDecimal.ONE;
            default -> BigDecimal.valueOf(1, 3);
        };
    }

    private static ScheduleException notADuration(String pointer, String text) {
        return refused(
                pointer,
                text,
                "a duration is written in ISO-8601 (PT1H30M, PT0.25S, P7D) or with the units h, m, s, ms (1h30m, 250ms)");
    }

    private static ScheduleException refused(String pointer, String text, String why) {
        return new ScheduleException(pointer, SafeQuote.of(text) + " is not allowed here: " + why);
    }
}
