package io.twinbell.node.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.schedule.custom.ScheduleTypes;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples of RFC 5545, 3.8.5.3, in its zone, America/New_York. */
class RecurrenceRfcTest {
    private static final ZoneId NEW_YORK = ZoneId.of("America/New_York");
    private static final int LONGEST = 120;

    /** Each line: rule, first day (at 09:00), its days by month; a rule without an end continues after them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "FREQ=DAILY;COUNT=10|1997-09-02|1997-09: 2-11",
                "FREQ=DAILY;UNTIL=19971224T000000Z|1997-09-02|1997-09: 2-30, 1997-10: 1-31, 1997-11: 1-30, 1997-12: 1-23",
                "FREQ=DAILY;INTERVAL=2|1997-09-02|1997-09: 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30, 1997-10: 2 4 6",
                "FREQ=DAILY;INTERVAL=10;COUNT=5|1997-09-02|1997-09: 2 12 22, 1997-10: 2 12",
                "FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA|1998-01-01|1998-01: 1-31, 1999-01: 1-31, 2000-01: 1-31",
                "FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1|1998-01-01|1998-01: 1-31, 1999-01: 1-31, 2000-01: 1-31",
                "FREQ=WEEKLY;COUNT=10|1997-09-02|1997-09: 2 9 16 23 30, 1997-10: 7 14 21 28, 1997-11: 4",
                "FREQ=WEEKLY;UNTIL=19971224T000000Z|1997-09-02|1997-09: 2 9 16 23 30, 1997-10: 7 14 21 28, 1997-11: 4 11 18 25, 1997-12: 2 9 16 23",
                "FREQ=WEEKLY;INTERVAL=2;WKST=SU|1997-09-02|1997-09: 2 16 30, 1997-10: 14 28, 1997-11: 11 25, 1997-12: 9 23, 1998-01: 6 20, 1998-02: 3 17",
                "FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH|1997-09-02|1997-09: 2 4 9 11 16 18 23 25 30, 1997-10: 2",
                "FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH|1997-09-02|1997-09: 2 4 9 11 16 18 23 25 30, 1997-10: 2",
                "FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR|1997-09-01|1997-09: 1 3 5 15 17 19 29, 1997-10: 1 3 13 15 17 27 29 31, 1997-11: 10 12 14 24 26 28, 1997-12: 8 10 12 22",
                "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH|1997-09-02|1997-09: 2 4 16 18 30, 1997-10: 2 14 16",
                "FREQ=MONTHLY;COUNT=10;BYDAY=1FR|1997-09-05|1997-09: 5, 1997-10: 3, 1997-11: 7, 1997-12: 5, 1998-01: 2, 1998-02: 6, 1998-03: 6, 1998-04: 3, 1998-05: 1, 1998-06: 5",
                "FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR|1997-09-05|1997-09: 5, 1997-10: 3, 1997-11: 7, 1997-12: 5",
                "FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU|1997-09-07|1997-09: 7 28, 1997-11: 2 30, 1998-01: 4 25, 1998-03: 1 29, 1998-05: 3 31",
                "FREQ=MONTHLY;COUNT=6;BYDAY=-2MO|1997-09-22|1997-09: 22, 1997-10: 20, 1997-11: 17, 1997-12: 22, 1998-01: 19, 1998-02: 16",
                "FREQ=MONTHLY;BYMONTHDAY=-3|1997-09-28|1997-09: 28, 1997-10: 29, 1997-11: 28, 1997-12: 29, 1998-01: 29, 1998-02: 26",
                "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15|1997-09-02|1997-09: 2 15, 1997-10: 2 15, 1997-11: 2 15, 1997-12: 2 15, 1998-01: 2 15",
                "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1|1997-09-30|1997-09: 30, 1997-10: 1 31, 1997-11: 1 30, 1997-12: 1 31, 1998-01: 1 31, 1998-02: 1",
                "FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15|1997-09-10|1997-09: 10-15, 1999-03: 10-13",
                "FREQ=MONTHLY;INTERVAL=2;BYDAY=TU|1997-09-02|1997-09: 2 9 16 23 30, 1997-11: 4 11 18 25, 1998-01: 6 13 20 27, 1998-03: 3 10 17 24 31",
                "FREQ=YEARLY;COUNT=10;BYMONTH=6,7|1997-06-10|1997-06: 10, 1997-07: 10, 1998-06: 10, 1998-07: 10, 1999-06: 10, 1999-07: 10, 2000-06: 10, 2000-07: 10, 2001-06: 10, 2001-07: 10",
                "FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3|1997-03-10|1997-03: 10, 1999-01: 10, 1999-02: 10, 1999-03: 10, 2001-01: 10, 2001-02: 10, 2001-03: 10, 2003-01: 10, 2003-02: 10, 2003-03: 10",
                "FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200|1997-01-01|1997-01: 1, 1997-04: 10, 1997-07: 19, 2000-01: 1, 2000-04: 9, 2000-07: 18, 2003-01: 1, 2003-04: 10, 2003-07: 19, 2006-01: 1",
                "FREQ=YEARLY;BYDAY=20MO|1997-05-19|1997-05: 19, 1998-05: 18, 1999-05: 17",
                "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO|1997-05-12|1997-05: 12, 1998-05: 11, 1999-05: 17",
                "FREQ=YEARLY;BYMONTH=3;BYDAY=TH|1997-03-13|1997-03: 13 20 27, 1998-03: 5 12 19 26, 1999-03: 4 11 18 25",
                "FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8|1997-06-05|1997-06: 5 12 19 26, 1997-07: 3 10 17 24 31, 1997-08: 7 14 21 28, 1998-06: 4 11 18 25, 1998-07: 2 9 16 23 30, 1998-08: 6 13 20 27",
                "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13|1997-09-02|1998-02: 13, 1998-03: 13, 1998-11: 13, 1999-08: 13, 2000-10: 13",
                "FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13|1997-09-13|1997-09: 13, 1997-10: 11, 1997-11: 8, 1997-12: 13, 1998-01: 10, 1998-02: 7, 1998-03: 7, 1998-04: 11, 1998-05: 9, 1998-06: 13",
                "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8|1996-11-05|1996-11: 5, 2000-11: 7, 2004-11: 2",
                "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3|1997-09-04|1997-09: 4, 1997-10: 7, 1997-11: 6",
                "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2|1997-09-29|1997-09: 29, 1997-10: 30, 1997-11: 27, 1997-12: 30, 1998-01: 29, 1998-02: 26, 1998-03: 30",
                "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO|1997-08-05|1997-08: 5 10 19 24",
                "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU|1997-08-05|1997-08: 5 17 19 31",
                "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5|2007-01-15|2007-01: 15 30, 2007-02: 15, 2007-03: 15 30",
                // Not among its examples: days of a week of the old year, and a day that common years have not.
                "FREQ=YEARLY;BYWEEKNO=52;BYDAY=SA,SU;COUNT=5|2028-01-01|2028-01: 1 2, 2028-12: 30 31, 2029-12: 29",
                "FREQ=YEARLY;BYYEARDAY=-366;BYDAY=MO,TU,WE,TH,FR,SA,SU;COUNT=3|2024-01-01|2024-01: 1, 2028-01: 1, 2032-01: 1",
            })
    void the_days_of_the_standard(String rule, String start, String days) {
        List<String> expected = days(days);
        List<String> found = times(rule, start + "T09:00", expected.size() + 1);
        boolean ends = rule.contains("COUNT") || rule.contains("UNTIL");
        assertEquals(expected, ends ? found : found.subList(0, expected.size()), rule);
        assertTrue(ends || found.size() > expected.size(), rule);
    }

    /** The standard takes only missing information from the start, and a week has all its days. */
    @Test
    void a_week_number_without_a_weekday_takes_all_seven_days() {
        assertEquals(
                days("1997-05: 13-18, 1998-05: 11-17, 1999-05: 17-23"),
                times("FREQ=YEARLY;BYWEEKNO=20", "1997-05-13T09:00", 20));
    }

    /** The standard prints 15:00 too, but its UNTIL is 13:00 in New York (erratum 3883). */
    @Test
    void every_three_hours_until_a_time_in_utc() {
        assertEquals(
                List.of("1997-09-02T09:00", "1997-09-02T12:00"),
                times("FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000Z", "1997-09-02T09:00", 9));
    }

    @Test
    void every_quarter_of_an_hour_and_every_hour_and_a_half() {
        assertEquals(
                List.of("09:00", "09:15", "09:30", "09:45", "10:00", "10:15"),
                timesOfDay("FREQ=MINUTELY;INTERVAL=15;COUNT=6"));
        assertEquals(List.of("09:00", "10:30", "12:00", "13:30"), timesOfDay("FREQ=MINUTELY;INTERVAL=90;COUNT=4"));
    }

    @Test
    void every_twenty_minutes_of_the_working_day_in_two_ways() {
        String hours = "BYHOUR=9,10,11,12,13,14,15,16";
        List<String> byDay = times("FREQ=DAILY;" + hours + ";BYMINUTE=0,20,40", "1997-09-02T09:00", 100);
        assertEquals(100, byDay.size());
        assertEquals("1997-09-02T16:40", byDay.get(23));
        assertEquals("1997-09-03T09:00", byDay.get(24));
        assertEquals(byDay, times("FREQ=MINUTELY;INTERVAL=20;" + hours, "1997-09-02T09:00", 100));
    }

    private static List<String> timesOfDay(String rule) {
        return times(rule, "1997-09-02T09:00", 9).stream()
                .map(time -> time.substring("1997-09-02T".length()))
                .toList();
    }

    private static List<String> times(String rule, String start, int count) {
        ObjectNode json = ScheduleFixtures.json("rrule", rule, "dtstart", start, "zone", NEW_YORK.getId());
        Schedule schedule = Schedules.parse(json, Window.from(0), "app/name", ScheduleTypes.NONE);
        List<String> found = new ArrayList<>();
        long fire = schedule.next(Long.MIN_VALUE);
        while (fire != Schedule.NEVER && found.size() < Math.min(count, LONGEST)) {
            found.add(LocalDateTime.ofInstant(Instant.ofEpochMilli(fire), NEW_YORK)
                    .toString());
            long next = schedule.next(fire);
            assertEquals(fire, schedule.previous(next), rule);
            fire = next;
        }
        return found;
    }

    /** Reads {@code 1997-09: 2 9 16-18, 1997-10: 7}. */
    private static List<String> days(String text) {
        List<String> days = new ArrayList<>();
        for (String month : text.split(", ")) {
            String[] parts = month.split("[: ]+");
            for (int i = 1; i < parts.length; i++) {
                String[] range = parts[i].split("-");
                IntStream.rangeClosed(Integer.parseInt(range[0]), Integer.parseInt(range[range.length - 1]))
                        .forEach(day -> days.add(String.format(Locale.ROOT, "%s-%02dT09:00", parts[0], day)));
            }
        }
        return days;
    }
}
