package io.twinbell.node.json;

import io.twinbell.persistence.ledger.InstantFormat;
import java.time.DateTimeException;
import java.time.Instant;
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
}
