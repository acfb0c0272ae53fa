package io.twinbell.persistence.ledger;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Writes instants as {@code 2026-03-29T01:00:00.000Z}, always with milliseconds. */
public final class InstantFormat {
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private static volatile FormattedInstant latest = new FormattedInstant(-1, "");

    private record FormattedInstant(long millis, String text) {}

    private InstantFormat() {}

    /** @param millis since 1970 UTC */
    public static String text(long millis) {
        // The latest text is cached because thousands of slots may fire at one instant.
        FormattedInstant formattedInstant = latest;
        if (formattedInstant.millis() != millis || millis < 0) {
            formattedInstant = new FormattedInstant(millis, FORMAT.format(Instant.ofEpochMilli(millis)));
            latest = formattedInstant;
        }
        return formattedInstant.text();
    }
}
