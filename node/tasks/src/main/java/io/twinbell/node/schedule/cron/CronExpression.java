package io.twinbell.node.schedule.cron;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.schedule.local.BitMasks;
import io.twinbell.node.schedule.local.LocalPattern;
import io.twinbell.node.schedule.local.TimeOfDay;
import java.util.BitSet;
import java.util.List;

/**
 * A parsed cron expression of one dialect.
 *
 * <p>This package has its own parser, because cron-utils does not support {@code H}, macros or {@code 31W}, and parses
 * {@code 22-2} wrongly.
 *
 * @param months bit n for the month n
 * @param years bit n for the year 1970 + n
 * @param followsRealTime true if the hour field begins with {@code *}. Such an expression means an interval and not
 *     fixed times of the day, so clock changes neither shift nor drop its fires
 */
public record CronExpression(
        Dialect dialect,
        TimeOfDay time,
        DayOfMonth dayOfMonth,
        long months,
        DayOfWeek dayOfWeek,
        BitSet years,
        boolean followsRealTime) {
    public static CronExpression read(List<CronText.Word> words, Dialect dialect, IdentityHash hash) {
        CronFields fields = new CronFields(words, dialect, hash);
        FieldReader hour = fields.at(2, FieldRange.HOUR);
        CronExpression expression = new CronExpression(
                dialect,
                new TimeOfDay(fields.seconds(), fields.mask(1, FieldRange.MINUTE), BitMasks.of(hour.readAll())),
                DayOfMonth.read(fields.at(3, FieldRange.DAY_OF_MONTH)),
                fields.mask(4, FieldRange.MONTH),
                DayOfWeek.read(fields.at(5, dialect.weekdays()), dialect),
                fields.years(),
                hour.startsWithStar());
        if (dialect == Dialect.QUARTZ) {
            fields.requireOneOpenDayField(expression);
        }
        return expression;
    }

    public CalendarPattern calendar() {
        CalendarPattern.DayTable days = new CalendarPattern.DayTable(dayOfMonth, dayOfWeek, dialect == Dialect.UNIX);
        return new CalendarPattern(time, days, months, years.toLongArray());
    }

    boolean isEquivalentTo(CronExpression other) {
        return followsRealTime == other.followsRealTime && calendar().sameAs(other.calendar());
    }

    /** The words of an expression, indexed as if the first field were the seconds. */
    private record CronFields(List<CronText.Word> words, Dialect dialect, IdentityHash hash) {
        FieldReader at(int index, FieldRange range) {
            return new FieldReader(range, starred(words.get(hasSeconds() ? index : index - 1)), hash);
        }

        /** Quartz accepts {@code /5} for {@code *\/5}. */
        private CronText.Word starred(CronText.Word word) {
            return dialect == Dialect.QUARTZ && word.text().startsWith("/")
                    ? new CronText.Word("*" + word.text(), word.position() - 1)
                    : word;
        }

        long mask(int index, FieldRange range) {
            return BitMasks.of(at(index, range).readAll());
        }

        long seconds() {
            return hasSeconds() ? mask(0, FieldRange.SECOND) : 1;
        }

        BitSet years() {
            if (words.size() == 7) {
                BitSet years = at(6, FieldRange.YEAR).readAll();
                return years.get(LocalPattern.FIRST_YEAR, LocalPattern.LAST_YEAR + 1);
            }
            BitSet all = new BitSet();
            all.set(0, LocalPattern.LAST_YEAR - LocalPattern.FIRST_YEAR + 1);
            return all;
        }

        void requireOneOpenDayField(CronExpression read) {
            boolean bothOpen =
                    words.get(3).text().equals("?") && words.get(5).text().equals("?");
            if (bothOpen || read.dayOfMonth().restricted() && read.dayOfWeek().restricted()) {
                throw new ScheduleException(
                        "/cron",
                        "day-of-month and day-of-week fields, positions "
                                + words.get(3).position() + " and "
                                + words.get(5).position()
                                + ": in the QUARTZ dialect exactly one of them must be ?");
            }
        }

        private boolean hasSeconds() {
            return words.size() > 5;
        }
    }
}
