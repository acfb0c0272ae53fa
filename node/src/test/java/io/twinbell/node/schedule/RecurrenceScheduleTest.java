package io.twinbell.node.schedule;

import static io.twinbell.node.schedule.ScheduleFixtures.assertFires;
import static io.twinbell.node.schedule.ScheduleFixtures.at;
import static io.twinbell.node.schedule.ScheduleFixtures.fires;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
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

/** Schedules by a recurrence rule: their members, clock changes, further and excepted times, and words. */
class RecurrenceScheduleTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Window OPEN = Window.from(at("2026-01-01T00:00:00Z"));
    private static final String BERLIN = "'zone':'Europe/Berlin'";
    private static final ZoneId NEW_YORK = ZoneId.of("America/New_York");
    private static final int LONGEST = 120;

    private static Schedule read(Window window, String json) {
        try {
            return Schedules.parse(JSON.readTree(json.replace('\'', '"')), window, "app/name");
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static Schedule read(String json) {
        return read(OPEN, json);
    }

    private static Schedule inBerlin(String rule, String start) {
        return read("{'rrule':'" + rule + "','dtstart':'" + start + "'," + BERLIN + "}");
    }

    /** Each line: JSON, the pointer to what is wrong, and a part of the message. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '§', textBlock = """
            {'rrule':'FREQ=DAILY'}                                    | /dtstart | dtstart is required
            {'rrule':5,'dtstart':'2026-01-05'}                        | /rrule   | rrule must be a string
            {'rrule':'','dtstart':'2026-01-05'}                       | /rrule   | has no value; a rule looks like
            {'rrule':'RRULE:FREQ=DAILY','dtstart':'2026-01-05'}       | /rrule   | without RRULE: in front
            {'rrule':'FREQ=NEVER','dtstart':'2026-01-05'}             | /rrule   | FREQ "NEVER" is not one of
            {'rrule':'FREQ=DAILY;BYDAY=XX','dtstart':'2026-01-05'}    | /rrule   | "XX" is not one of the days
            {'rrule':'FREQ=DAILY;BYHOUR=24','dtstart':'2026-01-05'}   | /rrule   | BYHOUR must be from 0 to 23
            {'rrule':'FREQ=DAILY;COUNT=1001','dtstart':'2026-01-05'}  | /rrule   | more than 1000: use UNTIL
            {'rrule':'FREQ=DAILY;UNTIL=2026-02-01','dtstart':'2026-01-05'} | /rrule | is not a date or time such as 20261224
            {'rrule':'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30','dtstart':'2026-01-05'} | /rrule | never fires between
            {'rrule':'FREQ=DAILY;INTERVAL=7;BYDAY=TU','dtstart':'2026-01-05'}      | /rrule | never fires between
            {'rrule':'FREQ=SECONDLY;INTERVAL=2;BYSECOND=1','dtstart':'2026-01-05'} | /rrule | never fires between
            {'rrule':'FREQ=MINUTELY;INTERVAL=2147483647','dtstart':'1970-01-01'}   | /rrule | never fires between
            {'rrule':'FREQ=HOURLY;BYMINUTE=0;BYSETPOS=2','dtstart':'2026-01-05'}   | /rrule | never fires between
            {'rrule':'FREQ=DAILY;UNTIL=20250101','dtstart':'2024-01-05'}           | /rrule | never fires between
            {'rrule':'FREQ=DAILY','dtstart':'2026-01-05T09:00Z'}      | /dtstart | without an offset
            {'rrule':'FREQ=DAILY','dtstart':'20260105T090000Z'}       | /dtstart | without an offset
            {'rrule':'FREQ=DAILY','dtstart':'2026-02-30'}             | /dtstart | is not a local time
            {'rrule':'FREQ=DAILY','dtstart':'2200-01-01'}             | /dtstart | only 1970 to 2199
            {'rrule':'FREQ=DAILY','dtstart':'2026-01-05','zone':'CETX'}     | /zone    | is not a time zone
            {'rrule':'FREQ=DAILY','dtstart':'2026-01-05','rdate':'x'}       | /rdate   | must be a list
            {'rrule':'FREQ=DAILY','dtstart':'2026-01-05','rdate':[1]}       | /rdate/0 | list of strings
            {'rrule':'FREQ=DAILY','dtstart':'2026-01-05','exdate':['2026-01-06','soon']} | /exdate/1 | "soon" is not a local time
            {'rrule':'FREQ=DAILY','dtstart':'2026-01-05','dialect':'UNIX'}  | /dialect | allowed are rrule, dtstart, rdate, exdate, zone
            {'rrule':'FREQ=DAILY','cron':'@daily','dtstart':'2026-01-05'}   | §§       | this one has cron and rrule
            """)
    void a_bad_recurrence_is_refused_at_the_member_at_fault(String json, String pointer, String message) {
        ScheduleException e = assertThrows(ScheduleException.class, () -> read(json));
        assertEquals(pointer, e.pointer(), e.getMessage());
        assertTrue(e.getMessage().contains(message), e.getMessage());
    }

    @Test
    void a_time_in_a_gap_fires_after_it_or_not_at_all() {
        Schedule shifted = inBerlin("FREQ=DAILY", "2026-03-01T02:30");
        assertFires(
                shifted,
                "2026-03-28T00:00:00Z",
                "2026-03-28T01:30:00Z",
                "2026-03-29T01:00:00Z",
                "2026-03-30T00:30:00Z");
        assertEquals(DstMark.SHIFTED, shifted.mark(at("2026-03-29T01:00:00Z")));
        Schedule skipped = read("{'rrule':'FREQ=DAILY','dtstart':'2026-03-01T02:30','dstGap':'SKIP'," + BERLIN + "}");
        assertFires(skipped, "2026-03-28T00:00:00Z", "2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z");
    }

    @Test
    void a_repeated_time_fires_once_or_twice() {
        assertFires(
                inBerlin("FREQ=DAILY", "2026-03-01T02:30"),
                "2026-10-25T00:00:00Z",
                "2026-10-25T00:30:00Z",
                "2026-10-26T01:30:00Z");
        Schedule twice =
                read("{'rrule':'FREQ=DAILY','dtstart':'2026-03-01T02:30','dstOverlap':'TWICE'," + BERLIN + "}");
        assertFires(
                twice, "2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z");
        assertEquals(DstMark.REPEATED, twice.mark(at("2026-10-25T01:30:00Z")));
    }

    @Test
    void hours_and_minutes_follow_real_time() {
        assertFires(
                inBerlin("FREQ=HOURLY", "2026-03-01T00:00"),
                "2026-10-24T23:30:00Z",
                "2026-10-25T00:00:00Z",
                "2026-10-25T01:00:00Z",
                "2026-10-25T02:00:00Z");
        assertFires(
                inBerlin("FREQ=MINUTELY;INTERVAL=20", "2026-03-01T00:00"),
                "2026-03-29T00:20:00Z",
                "2026-03-29T00:40:00Z",
                "2026-03-29T01:00:00Z",
                "2026-03-29T01:20:00Z");
    }

    @Test
    void further_and_excepted_times_count_beside_the_rule() {
        Schedule schedule = read("{'rrule':'FREQ=WEEKLY;COUNT=4','dtstart':'2026-01-05T09:00',"
                + "'rdate':['2026-01-07','2026-01-12T09:00','2026-01-20T17:30:15','2026-03-01'],"
                + "'exdate':['2026-01-12','2026-01-20','2026-01-19T09:00']}");
        List<String> expected =
                List.of("2026-01-05T09:00:00Z", "2026-01-07T09:00:00Z", "2026-01-26T09:00:00Z", "2026-03-01T09:00:00Z");
        assertEquals(expected, fires(schedule, "2026-01-01T00:00:00Z", 9));
        long at = Schedule.NEVER;
        for (int i = expected.size() - 1; i >= 0; i--) {
            at = schedule.previous(at);
            assertEquals(at(expected.get(i)), at);
        }
        assertEquals(Schedule.NONE_BEFORE, schedule.previous(at));
    }

    @Test
    void the_start_fires_only_if_the_rule_matches_it_and_times_before_the_window_still_count() {
        assertEquals(
                List.of("2026-01-30T08:00:00Z"),
                fires(inBerlin("FREQ=MONTHLY;BYDAY=-1FR;COUNT=1", "2026-01-05T09:00"), "2026-01-01T00:00:00Z", 9));
        Schedule late =
                read(Window.from(at("2026-01-10T00:00:00Z")), "{'rrule':'FREQ=DAILY;COUNT=7','dtstart':'2026-01-05'}");
        assertEquals(List.of("2026-01-10T00:00:00Z", "2026-01-11T00:00:00Z"), fires(late, "2026-01-01T00:00:00Z", 9));
    }

    @Test
    void an_interval_of_ten_thousand_years_ends_a_search_at_once() {
        Schedule schedule = inBerlin("FREQ=YEARLY;INTERVAL=10000", "2026-01-05T09:00");
        assertEquals(List.of("2026-01-05T08:00:00Z"), fires(schedule, "2026-01-01T00:00:00Z", 9));
        assertEquals(at("2026-01-05T08:00:00Z"), schedule.previous(Schedule.NEVER));
        for (String frequency : List.of("MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY")) {
            assertEquals(
                    1,
                    fires(
                                    inBerlin("FREQ=" + frequency + ";INTERVAL=2147483647", "2026-01-05T09:00"),
                                    "2026-01-01T00:00:00Z",
                                    9)
                            .size(),
                    frequency);
        }
    }

    @Test
    void a_preview_backwards_begins_at_the_first_date_and_not_at_the_window() throws JsonProcessingException {
        var json = JSON.readTree("{\"rrule\":\"FREQ=DAILY\",\"dtstart\":\"2026-01-05T09:00\"}");
        Schedule schedule = Schedules.parseEverlasting(json, Window.from(at("2026-06-01T00:00:00Z")), "app/name");
        assertEquals(at("2026-05-31T09:00:00Z"), schedule.previous(at("2026-06-01T00:00:00Z")));
        assertEquals(Schedule.NONE_BEFORE, schedule.previous(at("2026-01-05T09:00:00Z")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            FREQ=DAILY                                    | every day at 09:00, from 2026-01-05
            FREQ=WEEKLY;INTERVAL=2                        | every 2 weeks on Monday at 09:00, from 2026-01-05
            FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9,17  | every week on Monday to Friday at 09:00 and 17:00, from 2026-01-05
            FREQ=MONTHLY;INTERVAL=3                       | every 3 months on the 5th at 09:00, from 2026-01-05
            FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1 | every month on Monday to Friday at 09:00, only the last of these each month, from 2026-01-05
            FREQ=MONTHLY;BYDAY=-1FR,2MO;COUNT=5           | every month on the last Friday and the 2nd Monday at 09:00, from 2026-01-05, 5 times
            FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13           | every month on Friday, if that is also the 13th at 09:00, from 2026-01-05
            FREQ=MONTHLY;BYMONTHDAY=-1,-2,11,22           | every month on the 2nd last day, last day, 11th and 22nd at 09:00, from 2026-01-05
            FREQ=YEARLY                                   | every year on the 5th of January at 09:00, from 2026-01-05
            FREQ=YEARLY;BYMONTH=3,9;BYDAY=1SU             | every year on the 1st Sunday in March and September at 09:00, from 2026-01-05
            FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO              | every year on Monday in week 20 at 09:00, from 2026-01-05
            FREQ=YEARLY;BYYEARDAY=100,-1                  | every year on the last day and 100th of the year at 09:00, from 2026-01-05
            FREQ=HOURLY;INTERVAL=5                        | every 5 hours at minute 0, from 2026-01-05 09:00
            FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10         | every 20 minutes in hour 9 and 10, from 2026-01-05 09:00
            FREQ=DAILY;UNTIL=20260301                     | every day at 09:00, from 2026-01-05, until 2026-03-01
            FREQ=DAILY;UNTIL=20260301T080000Z             | every day at 09:00, from 2026-01-05, until 2026-03-01 08:00 UTC
            FREQ=DAILY;BYHOUR=9,10,11;BYMINUTE=0,30       | every day at 6 times of the day from 09:00 to 11:30, from 2026-01-05
            """)
    void a_rule_is_described_in_words(String rule, String words) {
        assertEquals(
                words + ", Europe/Berlin", inBerlin(rule, "2026-01-05T09:00").description());
    }

    @Test
    void the_words_count_further_and_excepted_times() {
        assertEquals(
                "every day at 00:00, from 2026-01-05, and at 1 further time, except at 2 times, UTC",
                read("{'rrule':'FREQ=DAILY','dtstart':'20260105','rdate':['20260105T090000'],"
                                + "'exdate':['2026-01-06','2026-01-07']}")
                        .description());
    }

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
        Schedule schedule = Schedules.parse(json, Window.from(0), "app/name");
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
