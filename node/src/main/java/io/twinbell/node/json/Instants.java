package io.twinbell.node.json;

import io.twinbell.persistence.ledger.InstantFormat;
import java.time.DateTimeException;
import java.time.Instant;

/**
 * Formats and parses instants as the API writes them: {@code 2026-03-29T01:00:00.000Z}, always UTC with three digits
 * after the second.
 */
public final class Instants {
    private static final long LATEST = Instant.parse("2199-12-31T23:59:59.999Z").toEpochMilli();

    private Instants() {}

    /** @param millis since 1970 UTC */
    public static String text(long millis) {
        return InstantFormat.text(millis);
    }

    /**
     * Parses an instant; other offsets and fewer digits are accepted.
     *
     * @return milliseconds since 1970 UTC
     * @throws IllegalArgumentException with a message for the user
     */
    public static long millis(String text) {
        long written = InstantFormat.read(text);
        if (written >= 0 && written <= LATEST) {
            return written;
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
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("must be an instant such as 2026-03-29T01:00:00.000Z");
        }
    }
}
