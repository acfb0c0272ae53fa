package io.twinbell.tools.cli.option;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a duration such as {@code 90m}, {@code 1h30m} or {@code 7d}, or in ISO-8601; not negative. */
public final class DurationConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
        String upper = text.toUpperCase(Locale.ROOT);
        try {
            boolean isIso = upper.startsWith("P");
            Duration span =
                    Duration.parse(isIso ? upper : upper.contains("D") ? "P" + days(upper) : "PT" + millis(upper));
            if (!span.isNegative()) {
                return span;
            }
        } catch (DateTimeException e) {
            // Reported below, like a negative duration.
        }
        throw new TypeConversionException("must be a duration such as 90m, 24h, 7d or PT24H, not " + text);
    }

    /** Turns {@code 1D12H} into ISO-8601's {@code 1DT12H}. */
    private static String days(String text) {
        int day = text.indexOf('D') + 1;
        return day == text.length() ? text : text.substring(0, day) + "T" + text.substring(day);
    }

    private static String millis(String text) {
        return text.matches("\\d{1,9}MS")
                ? String.format(Locale.ROOT, "%d.%03dS", number(text) / 1000, number(text) % 1000)
                : text;
    }

    private static long number(String millis) {
        return Long.parseLong(millis.substring(0, millis.length() - 2));
    }
}
