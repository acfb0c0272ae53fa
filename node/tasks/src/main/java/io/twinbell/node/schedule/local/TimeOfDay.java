package io.twinbell.node.schedule.local;

/**
 * Sets of seconds, minutes and hours, which match together; bit n for the value n, and no mask is empty. Times are
 * seconds since midnight on the wall clock.
 */
public record TimeOfDay(long seconds, long minutes, long hours) {
    public int first() {
        return time(BitMasks.lowest(hours), BitMasks.lowest(minutes), BitMasks.lowest(seconds));
    }

    public int last() {
        return time(BitMasks.highest(hours), BitMasks.highest(minutes), BitMasks.highest(seconds));
    }

    /** Returns the first match at or after a time, or -1 if the day has none. */
    public int atOrAfter(int time) {
        int hour = time / 3600;
        if (BitMasks.has(hours, hour)) {
            int minute = time / 60 % 60;
            if (BitMasks.has(minutes, minute)) {
                long later = seconds & -1L << time % 60;
                if (later != 0) {
                    return time(hour, minute, BitMasks.lowest(later));
                }
            }
            long later = minutes & -2L << minute;
            if (later != 0) {
                return time(hour, BitMasks.lowest(later), BitMasks.lowest(seconds));
            }
        }
        long later = hours & -2L << hour;
        return later == 0 ? -1 : time(BitMasks.lowest(later), BitMasks.lowest(minutes), BitMasks.lowest(seconds));
    }

    /** Returns the last match at or before a time, or -1 if the day has none. */
    public int atOrBefore(int time) {
        int hour = time / 3600;
        if (BitMasks.has(hours, hour)) {
            int minute = time / 60 % 60;
            if (BitMasks.has(minutes, minute)) {
                long earlier = seconds & (2L << time % 60) - 1;
                if (earlier != 0) {
                    return time(hour, minute, BitMasks.highest(earlier));
                }
            }
            long earlier = minutes & (1L << minute) - 1;
            if (earlier != 0) {
                return time(hour, BitMasks.highest(earlier), BitMasks.highest(seconds));
            }
        }
        long earlier = hours & (1L << hour) - 1;
        return earlier == 0
                ? -1
                : time(BitMasks.highest(earlier), BitMasks.highest(minutes), BitMasks.highest(seconds));
    }

    /** Returns the number of matches in a day. */
    public int count() {
        return Long.bitCount(hours) * Long.bitCount(minutes) * Long.bitCount(seconds);
    }

    /** Returns a match by its position in the day, counted from 0. */
    public int nth(int position) {
        int ofMinute = Long.bitCount(seconds);
        int ofHour = ofMinute * Long.bitCount(minutes);
        return time(
                BitMasks.nth(hours, position / ofHour),
                BitMasks.nth(minutes, position % ofHour / ofMinute),
                BitMasks.nth(seconds, position % ofMinute));
    }

    private static int time(int hour, int minute, int second) {
        return (hour * 60 + minute) * 60 + second;
    }
}
