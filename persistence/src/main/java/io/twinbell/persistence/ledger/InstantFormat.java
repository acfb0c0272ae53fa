package io.twinbell.persistence.ledger;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * Writes and reads instants as {@code 2026-03-29T01:00:00.000Z}. An instant is written for each slot and read for each
 * one-shot that fires; many programs omit the milliseconds, so the reader accepts that too. The JDK's formatter takes
 * much time and allocates much memory to read an instant.
 */
public final class InstantFormat {
    private static final int LENGTH = "2026-03-29T01:00:00.000Z".length();
    private static final String SHAPE = "0000-00-00T00:00:00.000Z";
    private static final String WITHOUT_MILLIS = "0000-00-00T00:00:00Z";
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

    /** @return milliseconds since 1970 UTC; -1 for a text of another form, or for a day that does not exist */
    public static long read(String text) {
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
