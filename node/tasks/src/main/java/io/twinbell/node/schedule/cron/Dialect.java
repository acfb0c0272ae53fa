package io.twinbell.node.schedule.cron;

import java.util.List;
import java.util.stream.Stream;

/**
 * The dialect of a cron expression. Dialects differ in the number of fields, the weekday numbers and the meaning of
 * the day fields.
 */
public enum Dialect {
    /** Five fields, or six with leading seconds; if both day fields are restricted, either one may match. */
    UNIX(5, 6, 0, FieldRange.WEEKDAY_UNIX, "[second] minute hour day-of-month month day-of-week"),
    /**
     * Six fields, or seven with a trailing year; only one of the day fields may be restricted, and {@code *} is
     * accepted for {@code ?}.
     */
    QUARTZ(6, 7, 1, FieldRange.WEEKDAY_QUARTZ, "second minute hour day-of-month month day-of-week [year]"),
    /** Six fields; if both day fields are restricted, both must match. */
    SPRING(6, 6, 0, FieldRange.WEEKDAY_SPRING, "second minute hour day-of-month month day-of-week");

    private final int fewestFields;
    private final int mostFields;
    private final int sunday;
    private final FieldRange weekdays;
    private final String layout;

    Dialect(int fewestFields, int mostFields, int sunday, FieldRange weekdays, String layout) {
        this.fewestFields = fewestFields;
        this.mostFields = mostFields;
        this.sunday = sunday;
        this.weekdays = weekdays;
        this.layout = layout;
    }

    static List<Dialect> thatTake(int fields) {
        return Stream.of(values())
                .filter(dialect -> dialect.acceptsFieldCount(fields))
                .toList();
    }

    boolean acceptsFieldCount(int fields) {
        return fewestFields <= fields && fields <= mostFields;
    }

    FieldRange weekdays() {
        return weekdays;
    }

    /** Returns the weekday of a number in this dialect, 0 for Sunday. */
    int weekday(int number) {
        return (number - sunday) % 7;
    }

    /** Returns this dialect's number of a weekday, 0 for Sunday. */
    int number(int weekday) {
        return weekday + sunday;
    }

    /** Returns the fields for messages: "UNIX takes 5 or 6 fields: …". */
    String shape() {
        String fields = fewestFields == mostFields ? String.valueOf(mostFields) : fewestFields + " or " + mostFields;
        return name() + " takes " + fields + " fields: " + layout;
    }
}
