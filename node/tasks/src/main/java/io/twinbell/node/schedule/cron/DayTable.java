package io.twinbell.node.schedule.cron;

import java.util.Arrays;

/**
 * The matching days of a cron expression for every type of month. The weekday of the first day and the length of the
 * month determine the result of all day fields, so 28 masks cover every month, and a search needs one lookup per
 * month.
 */
final class DayTable {
    private static final int SHORTEST_MONTH = 28;

    private final int[] masks = new int[7 * 4];

    DayTable(DayOfMonth dayOfMonth, DayOfWeek dayOfWeek, boolean eitherIsEnough) {
        for (int kind = 0; kind < masks.length; kind++) {
            int firstWeekday = kind / 4;
            int length = SHORTEST_MONTH + kind % 4;
            long byMonth = dayOfMonth.in(firstWeekday, length);
            long byWeek = dayOfWeek.in(firstWeekday, length);
            boolean either = eitherIsEnough && dayOfMonth.restricted() && dayOfWeek.restricted();
            masks[kind] = (int) (either ? byMonth | byWeek : byMonth & byWeek);
        }
    }

    /** Returns bit n for the day n, 1 to 31. */
    long in(int firstWeekday, int length) {
        return masks[firstWeekday * 4 + length - SHORTEST_MONTH] & 0xFFFF_FFFFL;
    }

    boolean sameAs(DayTable other) {
        return Arrays.equals(masks, other.masks);
    }
}
