package io.twinbell.node.calendar.ical;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.recurrence.BasicTime;
import io.twinbell.node.schedule.text.SafeQuote;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;

/**
 * A DATE or a DATE-TIME.
 *
 * @param wall the written time, in seconds since 1970 as if it were UTC; midnight for a date
 * @param zone of a DATE-TIME that is in UTC or names a zone; null for a date and for a floating time
 */
public record DateTimeValue(long wall, boolean isDate, ZoneRules zone) {
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
            throw property.refusal(SafeQuote.of(text) + " is not a " + SafeQuote.of(type));
        }
        ZoneRules named = value.isDate || property.parameter("TZID") == null ? null : zones.named(property);
        if (named == null) {
            return value;
        }
        if (value.zone != null && !isUtc(named)) {
            throw property.refusal(SafeQuote.of(text) + " is in UTC, but TZID names another zone");
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
        try {
            BasicTime time = BasicTime.of(text);
            return new DateTimeValue(time.wall(), time.isDate(), time.isUtc() ? ZoneOffset.UTC.getRules() : null);
        } catch (ScheduleException e) {
            throw property.refusal(e.getMessage());
        }
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
