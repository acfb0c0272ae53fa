package io.twinbell.persistence.ledger;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * Writes instants as {@code 2026-03-29T01:00:00.000Z}. An instant is written for each slot, and the JDK's formatter takes
 * much time and allocates much memory.
 */
public final class InstantFormat {
    private static final int LENGTH = "2026-03-29T01:00:00.000Z".length();
    private static final long DAY = 86_400_000;
    private static final long YEAR_10000 =
            Instant.parse("9999-12-31T23:59:59.999Z").toEpochMilli();

    private static final DateTimeFormatter ANY_YEAR = DateTimeFormatter.ofPattern(
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
            formattedInstant = new FormattedInstant(millis, write(millis));
            latest = formattedInstant;
        }
        return formattedInstant.text();
    }

    private static String write(long millis) {
        if (millis < 0 || millis > YEAR_10000) {
            return ANY_YEAR.format(Instant.ofEpochMilli(millis));
        }
        LocalDate date = LocalDate.ofEpochDay(millis / DAY);
        int ofDay = (int) (millis % DAY);
        byte[] text = new byte[LENGTH];
        digits(text, 0, 4, date.getYear());
        text[4] = '-';
        digits(text, 5, 2, date.getMonthValue());
        text[7] = '-';
        digits(text, 8, 2, date.getDayOfMonth());
        text[10] = 'T';
        digits(text, 11, 2, ofDay / 3_600_000);
        text[13] = ':';
        digits(text, 14, 2, ofDay / 60_000 % 60);
        text[16] = ':';
        digits(text, 17, 2, ofDay / 1000 % 60);
        text[19] = '.';
        digits(text, 20, 3, ofDay % 1000);
        text[23] = 'Z';
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    private static void digits(byte[] text, int from, int count, int value) {
        int rest = value;
        for (int i = from + count - 1; i >= from; i--) {
            text[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
    }
}
