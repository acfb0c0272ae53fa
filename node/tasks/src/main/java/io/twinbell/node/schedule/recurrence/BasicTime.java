package io.twinbell.node.schedule.recurrence;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.schedule.text.Digits;
import io.twinbell.node.schedule.text.SafeQuote;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;

/**
 * A date or time in the basic format of iCalendar: {@code 20261224}, {@code 20261224T180000} or
 * {@code 20261224T180000Z}.
 *
 * @param wall the written time, in seconds since 1970 as if it were UTC; midnight for a date
 * @param isUtc whether a Z follows the time
 */
public record BasicTime(long wall, boolean isDate, boolean isUtc) {
    private static final int DATE_LENGTH = 8;
    private static final int TIME_LENGTH = 15;

    /** @throws ScheduleException if the text is not a valid date or time */
    public static BasicTime of(String text) {
        boolean isDate = text.length() == DATE_LENGTH;
        boolean isUtc = text.length() == TIME_LENGTH + 1 && (text.charAt(TIME_LENGTH) | 0x20) == 'z';
        boolean isTime = (text.length() == TIME_LENGTH || isUtc)
                && (text.charAt(DATE_LENGTH) | 0x20) == 't'
                && Digits.are(text, DATE_LENGTH + 1, 6);
        if (!(isDate || isTime) || !Digits.are(text, 0, DATE_LENGTH)) {
            throw new ScheduleException(
                    "",
                    SafeQuote.of(text)
                            + " is not a date or time such as 20261224, 20261224T180000 or 20261224T180000Z");
        }
        try {
            LocalDateTime local = LocalDateTime.of(
                    Digits.number(text, 0, 4),
                    Digits.number(text, 4, 2),
                    Digits.number(text, 6, 2),
                    isDate ? 0 : Digits.number(text, 9, 2),
                    isDate ? 0 : Digits.number(text, 11, 2),
                    isDate ? 0 : second(Digits.number(text, 13, 2)));
            return new BasicTime(local.toEpochSecond(ZoneOffset.UTC), isDate, isUtc);
        } catch (DateTimeException e) {
            throw new ScheduleException("", SafeQuote.of(text) + " is not a date: " + e.getMessage());
        }
    }

    /** A leap second counts as the second before it. */
    private static int second(int written) {
        return written == 60 ? 59 : written;
    }

    /** Returns the wall-clock time in that zone; a time without Z is unchanged. */
    long wallIn(ZoneRules zone) {
        return isUtc ? wall + zone.getOffset(Instant.ofEpochSecond(wall)).getTotalSeconds() : wall;
    }
}
