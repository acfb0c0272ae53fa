package io.twinbell.node.schedule;

import static io.twinbell.node.schedule.ScheduleFixtures.assertFires;
import static io.twinbell.node.schedule.ScheduleFixtures.at;
import static io.twinbell.node.schedule.ScheduleFixtures.fires;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.schedule.custom.ScheduleTypes;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Schedules by a recurrence rule: their members, clock changes, further and excepted times, and words. */
class RecurrenceScheduleTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Window OPEN = Window.from(at("2026-01-01T00:00:00Z"));
    private static final String BERLIN = "'zone':'Europe/Berlin'";

    private static Schedule read(Window window, String json) {
        try {
            return Schedules.parse(JSON.readTree(json.replace('\'', '"')), window, "app/name", ScheduleTypes.NONE);
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
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '§',
            value = {
                "{'rrule':'FREQ=DAILY'}                                    | /dtstart | dtstart is required",
                "{'rrule':5,'dtstart':'2026-01-05'}                        | /rrule   | rrule must be a string",
                "{'rrule':'','dtstart':'2026-01-05'}                       | /rrule   | has no value; a rule looks like",
                "{'rrule':'RRULE:FREQ=DAILY','dtstart':'2026-01-05'}       | /rrule   | without RRULE: in front",
                "{'rrule':'FREQ=NEVER','dtstart':'2026-01-05'}             | /rrule   | FREQ \"NEVER\" is not one of",
                "{'rrule':'FREQ=DAILY;BYDAY=XX','dtstart':'2026-01-05'}    | /rrule   | \"XX\" is not one of the days",
                "{'rrule':'FREQ=DAILY;BYHOUR=24','dtstart':'2026-01-05'}   | /rrule   | BYHOUR must be from 0 to 23",
                "{'rrule':'FREQ=DAILY;COUNT=1001','dtstart':'2026-01-05'}  | /rrule   | more than 1000: use UNTIL",
                "{'rrule':'FREQ=DAILY;UNTIL=2026-02-01','dtstart':'2026-01-05'} | /rrule | is not a date or time such as 20261224",
                "{'rrule':'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30','dtstart':'2026-01-05'} | /rrule | never fires between",
                "{'rrule':'FREQ=DAILY;INTERVAL=7;BYDAY=TU','dtstart':'2026-01-05'}      | /rrule | never fires between",
                "{'rrule':'FREQ=SECONDLY;INTERVAL=2;BYSECOND=1','dtstart':'2026-01-05'} | /rrule | never fires between",
                "{'rrule':'FREQ=MINUTELY;INTERVAL=2147483647','dtstart':'1970-01-01'}   | /rrule | never fires between",
                "{'rrule':'FREQ=HOURLY;BYMINUTE=0;BYSETPOS=2','dtstart':'2026-01-05'}   | /rrule | never fires between",
                "{'rrule':'FREQ=DAILY;UNTIL=20250101','dtstart':'2024-01-05'}           | /rrule | never fires between",
                "{'rrule':'FREQ=DAILY','dtstart':'2026-01-05T09:00Z'}      | /dtstart | without an offset",
                "{'rrule':'FREQ=DAILY','dtstart':'20260105T090000Z'}       | /dtstart | without an offset",
                "{'rrule':'FREQ=DAILY','dtstart':'2026-02-30'}             | /dtstart | is not a local time",
                "{'rrule':'FREQ=DAILY','dtstart':'2200-01-01'}             | /dtstart | only 1970 to 2199",
                "{'rrule':'FREQ=DAILY','dtstart':'2026-01-05','zone':'CETX'}     | /zone    | is not a time zone",
                "{'rrule':'FREQ=DAILY','dtstart':'2026-01-05','rdate':'x'}       | /rdate   | must be a list",
                "{'rrule':'FREQ=DAILY','dtstart':'2026-01-05','rdate':[1]}       | /rdate/0 | list of strings",
                "{'rrule':'FREQ=DAILY','dtstart':'2026-01-05','exdate':['2026-01-06','soon']} | /exdate/1 | \"soon\" is not a local time",
                "{'rrule':'FREQ=DAILY','dtstart':'2026-01-05','dialect':'UNIX'}  | /dialect | allowed are rrule, dtstart, rdate, exdate, zone",
                "{'rrule':'FREQ=DAILY','cron':'@daily','dtstart':'2026-01-05'}   | §§       | this one has cron and rrule",
            })
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
        Schedule schedule = Schedules.parseEverlasting(
                json, Window.from(at("2026-06-01T00:00:00Z")), "app/name", ScheduleTypes.NONE);
        assertEquals(at("2026-05-31T09:00:00Z"), schedule.previous(at("2026-06-01T00:00:00Z")));
        assertEquals(Schedule.NONE_BEFORE, schedule.previous(at("2026-01-05T09:00:00Z")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "FREQ=DAILY                                    | every day at 09:00, from 2026-01-05",
                "FREQ=WEEKLY;INTERVAL=2                        | every 2 weeks on Monday at 09:00, from 2026-01-05",
                "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9,17  | every week on Monday to Friday at 09:00 and 17:00, from 2026-01-05",
                "FREQ=MONTHLY;INTERVAL=3                       | every 3 months on the 5th at 09:00, from 2026-01-05",
                "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1 | every month on Monday to Friday at 09:00, only the last of these each month, from 2026-01-05",
                "FREQ=MONTHLY;BYDAY=-1FR,2MO;COUNT=5           | every month on the last Friday and the 2nd Monday at 09:00, from 2026-01-05, 5 times",
                "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13           | every month on Friday, if that is also the 13th at 09:00, from 2026-01-05",
                "FREQ=MONTHLY;BYMONTHDAY=-1,-2,11,22           | every month on the 2nd last day, last day, 11th and 22nd at 09:00, from 2026-01-05",
                "FREQ=YEARLY                                   | every year on the 5th of January at 09:00, from 2026-01-05",
                "FREQ=YEARLY;BYMONTH=3,9;BYDAY=1SU             | every year on the 1st Sunday in March and September at 09:00, from 2026-01-05",
                "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO              | every year on Monday in week 20 at 09:00, from 2026-01-05",
                "FREQ=YEARLY;BYYEARDAY=100,-1                  | every year on the last day and 100th of the year at 09:00, from 2026-01-05",
                "FREQ=HOURLY;INTERVAL=5                        | every 5 hours at minute 0, from 2026-01-05 09:00",
                "FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10         | every 20 minutes in hour 9 and 10, from 2026-01-05 09:00",
                "FREQ=DAILY;UNTIL=20260301                     | every day at 09:00, from 2026-01-05, until 2026-03-01",
                "FREQ=DAILY;UNTIL=20260301T080000Z             | every day at 09:00, from 2026-01-05, until 2026-03-01 08:00 UTC",
                "FREQ=DAILY;BYHOUR=9,10,11;BYMINUTE=0,30       | every day at 6 times of the day from 09:00 to 11:30, from 2026-01-05",
            })
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
}
