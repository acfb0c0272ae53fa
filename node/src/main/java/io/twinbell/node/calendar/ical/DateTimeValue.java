package io.twinbell.node.calendar.ical;

import io.twinbell.node.json.InvalidJsonException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;

/**
 * A DATE or a DATE-TIME.
 *
 * @param wall the written time, in seconds since 1970 as if it were UTC; midnight for a date
 * @param zone of a DATE-TIME that is in UTC or names a zone; null for a date and for a floating time
 */
public record DateTimeValue(long wall, boolean isDate, ZoneRules zone) {
    private static final int DATE_LENGTH = 8;
    private static final int TIME_LENGTH = 15;

    /**
     * Parses the value of a property that has a single value.
     *
     * @throws InvalidJsonException if it is not a valid date or time
     */
    public static DateTimeValue of(ContentLine property, TimeZones zones) {
        return of(property.value().strip(), property, zones);
    }

    /**
     * Parses one value of a property.
     *
     * @param text the value, or one item of a list
     * @throws InvalidJsonException if it is not a valid date or time
     */
    public static DateTimeValue of(String text, ContentLine property, TimeZones zones) {
        String type = property.parameter("VALUE");
        DateTimeValue value = read(text, property);
        if (type != null && !type.equalsIgnoreCase(value.isDate ? "DATE" : "DATE-TIME") && !isPeriod(type)) {
            throw property.refusal(QuotedText.quoted(text) + " is not a " + QuotedText.quoted(type));
        }
        ZoneRules named = value.isDate || property.parameter("TZID") == null ? null : zones.named(property);
        if (named == null) {
            return value;
        }
        if (value.zone != null && !isUtc(named)) {
            throw property.refusal(QuotedText.quoted(text) + " is in UTC, but TZID names another zone");
        }
        return new DateTimeValue(value.wall, false, named);
    }

    private static boolean isPeriod(String type) {
        return type.equalsIgnoreCase("PERIOD");
    }

    private static boolean isUtc(ZoneRules zone) {
        return zone.isFixedOffset() && zone.getOffset(Instant.EPOCH).equals(ZoneOffset.UTC);
    }

    /** Parses the text and ignores the property's parameters. */
    static DateTimeValue read(String text, ContentLine property) {
        boolean isDate = text.length() == DATE_LENGTH;
        boolean isUtc = text.length() == TIME_LENGTH + 1 && (text.charAt(TIME_LENGTH) | 0x20) == 'z';
        boolean isTime = (text.length() == TIME_LENGTH || isUtc)
                && (text.charAt(DATE_LENGTH) | 0x20) == 't'
                && QuotedText.isDigits(text, DATE_LENGTH + 1, 6);
        if (!(isDate || isTime) || !QuotedText.isDigits(text, 0, DATE_LENGTH)) {
            throw property.refusal(QuotedText.quoted(text)
                    + " is not a date or time such as 20261224, 20261224T180000 or 20261224T180000Z");
        }
        try {
            LocalDateTime local = LocalDateTime.of(
                    QuotedText.digits(text, 0, 4),
                    QuotedText.digits(text, 4, 2),
                    QuotedText.digits(text, 6, 2),
                    isDate ? 0 : QuotedText.digits(text, 9, 2),
                    isDate ? 0 : QuotedText.digits(text, 11, 2),
                    isDate ? 0 : second(QuotedText.digits(text, 13, 2)));
            return new DateTimeValue(
                    local.toEpochSecond(ZoneOffset.UTC), isDate, isUtc ? ZoneOffset.UTC.getRules() : null);
        } catch (DateTimeException e) {
            throw property.refusal(QuotedText.quoted(text) + " is not a date: " + e.getMessage());
        }
    }

    /** A leap second counts as the second before it. */
    private static int second(int written) {
        return written == 60 ? 59 : written;
    }

    /** Returns the instant of a DATE-TIME, in seconds since 1970. */
    public long instant(ZoneRules ifFloating) {
        return WallClock.toInstant(wall, zone == null ? ifFloating : zone);
    }

    /** Returns the wall-clock time of a DATE-TIME in that zone; floating times are unchanged. */
    public long wallIn(ZoneRules other) {
        return zone == null || zone.equals(other) ? wall : WallClock.fromInstant(instant(other), other);
    }
}
