package io.twinbell.node.schedule.cron;

import io.twinbell.node.schedule.local.LocalPattern;
import java.util.List;

/**
 * The numbers and names that one cron field accepts.
 *
 * @param field its name in messages
 * @param first the first value of {@code *}, and of the second part of a wrapping range
 * @param last the last value of {@code *}, of {@code a/n}, and of the first part of a wrapping range
 * @param least the least number that is accepted
 * @param greatest the greatest number that is accepted
 * @param names the names for numbers, in order; empty if there are none
 * @param firstName the number of the first name
 * @param allowed the numbers and names in words
 */
record FieldRange(
        String field, int first, int last, int least, int greatest, List<String> names, int firstName, String allowed) {
    static final FieldRange SECOND = numbers("second", 0, 59, "");
    static final FieldRange MINUTE = numbers("minute", 0, 59, "");
    static final FieldRange HOUR = numbers("hour", 0, 23, "");
    static final FieldRange DAY_OF_MONTH = numbers("day-of-month", 1, 31, ", L, L-3, LW, 15W");
    static final FieldRange MONTH = new FieldRange(
            "month",
            1,
            12,
            1,
            12,
            List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"),
            1,
            "1 to 12, JAN to DEC");
    static final FieldRange YEAR = numbers("year", LocalPattern.FIRST_YEAR, LocalPattern.LAST_YEAR, "");

    static final FieldRange WEEKDAY_UNIX =
            weekdays(0, 6, 0, 7, List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"));
    static final FieldRange WEEKDAY_QUARTZ =
            weekdays(1, 7, 1, 7, List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"));
    /**
     * Spring's week ends with Sunday, although it also accepts 0 for Sunday: {@code MON/3} includes Sunday, unlike in
     * UNIX.
     */
    static final FieldRange WEEKDAY_SPRING =
            weekdays(1, 7, 0, 7, List.of("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"));

    int size() {
        return last - first + 1;
    }

    private static FieldRange numbers(String field, int first, int last, String more) {
        return new FieldRange(field, first, last, first, last, List.of(), 0, first + " to " + last + more);
    }

    private static FieldRange weekdays(int first, int last, int least, int greatest, List<String> names) {
        String sunday = least == 0 ? "0 to 7 (0 and 7 are Sunday)" : "1 to 7 (1 is Sunday)";
        return new FieldRange(
                "day-of-week", first, last, least, greatest, names, first, sunday + ", SUN to SAT, FRI#2, FRIL");
    }
}
