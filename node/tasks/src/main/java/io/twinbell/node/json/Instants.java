package io.twinbell.node.json;

import io.twinbell.persistence.ledger.InstantFormat;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.util.Locale;

/**
 * Formats and parses instants as the API writes them: {@code 2026-03-29T01:00:00.000Z}, always UTC with three digits
 * after the second.
 */
public final class Instants {
    public static final long LATEST = Instant.parse("2199-12-31T23:59:59.999Z").toEpochMilli();

    private static final int MAX_LENGTH = 40;
    private static final String SHAPE = "0000-00-00T00:00:00.000Z";
    private static final String WITHOUT_MILLIS = "0000-00-00T00:00:00Z";
    private static final long DAY = 86_400_000;

    /** No hour 24 and no second 60, which Instant.parse accepts: SQL refuses them too. */
    private static final DateTimeFormatter INSTANT = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE_TIME)
            .appendOffset("+HH:mm:ss", "Z")
            .toFormatter(Locale.ROOT)
            .withResolverStyle(ResolverStyle.STRICT);

    private Instants() {}

    /** @param millis since 1970 UTC */
    public static String text(long millis) {
        return InstantFormat.text(millis);
    }

    /**
     * Parses an instant. Seconds and their decimals may be missing, and other offsets, such as {@code +05} and
     * {@code +05:30}, are accepted.
     *
     * @return milliseconds since 1970 UTC
     * @throws IllegalArgumentException with a message for the user
     */
    public static long millis(String text) {
        long usual = usual(text);
        if (usual >= 0 && usual <= LATEST) {
            return usual;
        }
        Instant instant = parse(text);
        if (instant.getNano() % 1_000_000 != 0) {
            throw new IllegalArgumentException(
                    "has more than three decimals of a second; Twinbell counts milliseconds");
        }
        if (instant.getEpochSecond() < 0 || instant.getEpochSecond() > LATEST / 1000) {
            throw new IllegalArgumentException("must lie between 1970 and 2199");
        }
        return instant.toEpochMilli();
    }

    private static Instant parse(String text) {
        try {
            if (text.length() <= MAX_LENGTH) {
                return INSTANT.parse(text, Instant::from);
            }
        } catch (DateTimeException | ArithmeticException e) {
            // Reported below, together with texts that are too long.
        }
        throw new IllegalArgumentException("must be an instant such as 2026-03-29T01:00:00.000Z");
    }

    /**
     * Reads the usual form, with or without milliseconds, because the JDK's parser took a tenth of the time of reading a
     * list of tasks. Returns -1 for another form, or for a day that does not exist.
     */
    private static long usual(String text) {
        boolean hasMillis = isOfShape(SHAPE, text);
        if (!hasMillis && !isOfShape(WITHOUT_MILLIS, text)) {
            return -1;
        }
        int year = number(text, 0, 4);
        int month = number(text, 5, 2);
        int day = number(text, 8, 2);
        int hour = number(text, 11, 2);
        int minute = number(text, 14, 2);
        int second = number(text, 17, 2);
        boolean exists = year >= 1970
                && month >= 1
                && month <= 12
                && day >= 1
                && (day <= 28 || day <= YearMonth.of(year, month).lengthOfMonth())
                && hour <= 23
                && minute <= 59
                && second <= 59;
        if (!exists) {
            return -1;
        }
        int millis = hasMillis ? number(text, 20, 3) : 0;
        long ofDay = ((hour * 60L + minute) * 60 + second) * 1000 + millis;
        return LocalDate.of(year, month, day).toEpochDay() * DAY + ofDay;
    }

    private static boolean isOfShape(String shape, String text) {
        if (text.length() != shape.length()) {
            return false;
        }
        for (int i = 0; i < shape.length(); i++) {
            char wanted = shape.charAt(i);
            char found = text.charAt(i);
            if (wanted == '0' ? found < '0' || found > '9' : found != wanted) {
                return false;
            }
        }
        return true;
    }

    private static int number(String text, int from, int count) {
        int number = 0;
        for (int i = from; i < from + count; i++) {
            number = number * 10 + text.charAt(i) - '0';
        }
        return number;
    }
}
