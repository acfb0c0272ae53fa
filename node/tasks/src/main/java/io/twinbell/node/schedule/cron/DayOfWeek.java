package io.twinbell.node.schedule.cron;

import io.twinbell.node.schedule.local.BitMasks;
import java.util.BitSet;

/**
 * The day-of-week field of a cron expression; 0 is Sunday, regardless of the dialect's own numbers.
 *
 * @param days bit n for every weekday n
 * @param nth bit {@code 7 × i + n} for the i-th weekday n of the month ({@code FRI#2} is 7 × 2 + 5)
 * @param last bit n for the last weekday n of the month ({@code FRIL})
 * @param restricted false for a bare {@code *} or {@code ?}
 */
record DayOfWeek(long days, long nth, long last, boolean restricted) {
    private static final int SATURDAY = 6;
    /** One bit for the first day of each of five weeks. */
    private static final long WEEKS = 1 | 1 << 7 | 1 << 14 | 1 << 21 | 1 << 28;

    private static final DayOfWeek ANY = new DayOfWeek(127, 0, 0, false);

    static DayOfWeek read(FieldReader field, Dialect dialect) {
        if (field.isOnly('*') || field.isOnly('?')) {
            return ANY;
        }
        if (dialect == Dialect.QUARTZ && field.isOnly('L')) {
            return new DayOfWeek(1 << SATURDAY, 0, 0, true);
        }
        BitSet numbers = new BitSet();
        BitSet nth = new BitSet();
        BitSet last = new BitSet();
        do {
            if (field.nextIs('*') || field.nextIs('H')) {
                field.readItem(numbers);
                continue;
            }
            int number = field.value();
            if (field.accept('#')) {
                nth.set(7 * field.number("an occurrence in the month", 1, 5) + dialect.weekday(number));
            } else if (field.accept('L')) {
                last.set(dialect.weekday(number));
            } else {
                field.readFrom(number, numbers);
            }
        } while (field.acceptComma());
        long days = numbers.stream()
                .mapToLong(number -> 1L << dialect.weekday(number))
                .reduce(0, (a, b) -> a | b);
        return new DayOfWeek(days, BitMasks.of(nth), BitMasks.of(last), true);
    }

    /** Whether the field has special days beside plain weekdays, or more than one special day. */
    boolean isMixed() {
        return Long.bitCount(nth) + Long.bitCount(last) > (days == 0 ? 1 : 0);
    }

    /** Returns the matching days of a month, bit n for the day n. */
    long in(int firstWeekday, int length) {
        long found = plainDays(firstWeekday) & (1L << length + 1) - 2;
        if (nth == 0 && last == 0) {
            return found;
        }
        for (int day = 1; day <= length; day++) {
            int weekday = (firstWeekday + day - 1) % 7;
            int turn = (day + 6) / 7;
            boolean isLast = day + 7 > length;
            if (BitMasks.has(nth, 7 * turn + weekday) || isLast && BitMasks.has(last, weekday)) {
                found |= 1L << day;
            }
        }
        return found;
    }

    /** Repeats the week, rotated to begin with the weekday of the first day, five times. */
    private long plainDays(int firstWeekday) {
        long week = (days >> firstWeekday | days << 7 - firstWeekday) & 0x7F;
        return week * WEEKS << 1;
    }
}
