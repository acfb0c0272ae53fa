package io.twinbell.node.schedule;

/**
 * The second, minute and hour fields of a cron expression; bit n for the value n, and no mask is empty. Times are
 * seconds since midnight on the wall clock.
 */
record TimeOfDay(long seconds, long minutes, long hours) {
    int first() {
        return time(Masks.lowest(hours), Masks.lowest(minutes), Masks.lowest(seconds));
    }

    int last() {
        return time(Masks.highest(hours), Masks.highest(minutes), Masks.highest(seconds));
    }

    /** Returns the first match at or after a time, or -1 if the day has none. */
    int atOrAfter(int time) {
        int hour = time / 3600;
        if (Masks.has(hours, hour)) {
            int minute = time / 60 % 60;
            if (Masks.has(minutes, minute)) {
                long later = seconds & -1L << time % 60;
                if (later != 0) {
                    return time(hour, minute, Masks.lowest(later));
                }
            }
            long later = minutes & -2L << minute;
            if (later != 0) {
                return time(hour, Masks.lowest(later), Masks.lowest(seconds));
            }
        }
        long later = hours & -2L << hour;
        return later == 0 ? -1 : time(Masks.lowest(later), Masks.lowest(minutes), Masks.lowest(seconds));
    }

    /** Returns the last match at or before a time, or -1 if the day has none. */
    int atOrBefore(int time) {
        int hour = time / 3600;
        if (Masks.has(hours, hour)) {
            int minute = time / 60 % 60;
            if (Masks.has(minutes, minute)) {
                long earlier = seconds & (2L << time % 60) - 1;
                if (earlier != 0) {
                    return time(hour, minute, Masks.highest(earlier));
                }
            }
            long earlier = minutes & (1L << minute) - 1;
            if (earlier != 0) {
                return time(hour, Masks.highest(earlier), Masks.highest(seconds));
            }
        }
        long earlier = hours & (1L << hour) - 1;
        return earlier == 0 ? -1 : time(Masks.highest(earlier), Masks.highest(minutes), Masks.highest(seconds));
    }

    private static int time(int hour, int minute, int second) {
        return (hour * 60 + minute) * 60 + second;
    }
}
