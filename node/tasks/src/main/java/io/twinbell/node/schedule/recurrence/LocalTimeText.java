package io.twinbell.node.schedule.recurrence;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.schedule.local.LocalPattern;
import io.twinbell.node.schedule.text.SafeQuote;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;

/**
 * A written date, or date and time, on the wall clock of the schedule's zone: {@code 2026-01-05},
 * {@code 2026-01-05T09:00} or {@code 2026-01-05T09:00:30}, or the same as iCalendar writes them.
 *
 * @param seconds since 1970; midnight for a date
 */
public record LocalTimeText(long seconds, boolean isDate) {
    private static final int DATE_LENGTH = "2026-01-05".length();
    private static final int MAX_LENGTH = "2026-01-05T09:00:30".length();

    /** @throws ScheduleException naming the member, if the text is not such a time from 1970 to 2199 */
    public static LocalTimeText read(String pointer, String text) {
        LocalTimeText time = text.indexOf('-') < 0 ? basic(pointer, text) : extended(pointer, text);
        if (time.seconds < 0 || time.seconds >= LocalPattern.END) {
            throw new ScheduleException(
                    pointer, SafeQuote.of(text) + " is out of range: only 1970 to 2199 are allowed");
        }
        return time;
    }

    private static LocalTimeText extended(String pointer, String text) {
        try {
            if (text.length() == DATE_LENGTH) {
                return of(LocalDate.parse(text).atStartOfDay(), true);
            }
            if (text.length() <= MAX_LENGTH) {
                return of(LocalDateTime.parse(text), false);
            }
        } catch (DateTimeException e) {
            // Reported below, together with texts that are too long.
        }
        throw refusal(pointer, text);
    }

    private static LocalTimeText basic(String pointer, String text) {
        try {
            BasicTime time = BasicTime.of(text);
            if (!time.isUtc()) {
                return new LocalTimeText(time.wall(), time.isDate());
            }
        } catch (ScheduleException e) {
            // Reported below, together with times in UTC.
        }
        throw refusal(pointer, text);
    }

    private static ScheduleException refusal(String pointer, String text) {
        return new ScheduleException(
                pointer,
                SafeQuote.of(text) + " is not a local time: write it as 2026-01-05T09:00, without an offset;"
                        + " it is a time of the schedule's zone");
    }

    private static LocalTimeText of(LocalDateTime time, boolean isDate) {
        return new LocalTimeText(seconds(time), isDate);
    }

    static long seconds(LocalDateTime time) {
        return time.toEpochSecond(ZoneOffset.UTC);
    }

    LocalDateTime time() {
        return LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC);
    }

    long day() {
        return seconds / LocalPattern.SECONDS_PER_DAY;
    }

    /** Returns the time of a day, for a date the given one. */
    long seconds(LocalTime ofDate) {
        return isDate ? seconds + ofDate.toSecondOfDay() : seconds;
    }
}
