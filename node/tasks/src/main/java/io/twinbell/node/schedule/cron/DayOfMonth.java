package io.twinbell.node.schedule.cron;

import io.twinbell.node.schedule.local.BitMasks;
import java.util.BitSet;

/**
 * The day-of-month field of a cron expression.
 *
 * @param days bit n for the day n
 * @param beforeLast bit n for n days before the last day of the month ({@code L} is 0, {@code L-3} is 3)
 * @param nearest bit n for the weekday nearest to the day n ({@code 15W})
 * @param nearestBeforeLast bit n for the weekday nearest to n days before the last day ({@code LW} is 0)
 * @param restricted false for a bare {@code *} or {@code ?}
 */
record DayOfMonth(long days, long beforeLast, long nearest, long nearestBeforeLast, boolean restricted) {
    private static final DayOfMonth ANY = new DayOfMonth(-2, 0, 0, 0, false);

    static DayOfMonth read(FieldReader field) {
        if (field.isOnly('*') || field.isOnly('?')) {
            return ANY;
        }
        BitSet days = new BitSet();
        BitSet beforeLast = new BitSet();
        BitSet nearest = new BitSet();
        BitSet nearestBeforeLast = new BitSet();
        do {
            if (field.accept('L')) {
                int back = field.accept('-') ? field.number("days before the last day", 0, 30) : 0;
                (field.accept('W') ? nearestBeforeLast : beforeLast).set(back);
            } else if (field.nextIsDigit()) {
                int day = field.value();
                if (field.accept('W')) {
                    nearest.set(day);
                } else {
                    field.readFrom(day, days);
                }
            } else {
                field.readItem(days);
            }
        } while (field.acceptComma());
        return new DayOfMonth(
                BitMasks.of(days), BitMasks.of(beforeLast), BitMasks.of(nearest), BitMasks.of(nearestBeforeLast), true);
    }

    /**
     * Whether cron-utils cannot describe the field: it has special days beside plain numbers, more than one special
     * day, or one like {@code L-3W}.
     */
    boolean isMixed() {
        int special = Long.bitCount(beforeLast) + Long.bitCount(nearest) + Long.bitCount(nearestBeforeLast);
        return special > (days == 0 ? 1 : 0) || nearestBeforeLast > 1;
    }

    /** Returns the matching days of a month, bit n for the day n. */
    long in(int firstWeekday, int length) {
        long found = days & (1L << length + 1) - 2;
        if ((beforeLast | nearest | nearestBeforeLast) == 0) {
            return found;
        }
        for (int day = 1; day <= length; day++) {
            if (BitMasks.has(beforeLast, length - day)) {
                found |= 1L << day;
            }
            if (BitMasks.has(nearest, day) || BitMasks.has(nearestBeforeLast, length - day)) {
                found |= 1L << nearestWeekday(day, firstWeekday, length);
            }
        }
        return found;
    }

    /**
     * Returns the nearest day from Monday to Friday within the month: the 3rd for a Saturday the 1st, the 29th for a
     * Sunday the 31st.
     */
    private static int nearestWeekday(int day, int firstWeekday, int length) {
        return switch ((firstWeekday + day - 1) % 7) {
            case 6 -> day == 1 ? 3 : day - 1;
            case 0 -> day == length ? day - 2 : day + 1;
            default -> day;
        };
    }
}
