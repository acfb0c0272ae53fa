package io.twinbell.node.calendar;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What recurrence rules mean, by examples that RFC 5545 or a third library (dateutil) has. */
class HolidayRulesTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            20260901 | FREQ=DAILY;INTERVAL=2;BYDAY=MO,TU,WE,TH,FR;COUNT=4 | 2026-09-01 2026-09-03 2026-09-07 2026-09-09
            20260101 | FREQ=MONTHLY;INTERVAL=2;BYMONTH=1,2,3,4,5;COUNT=3 | 2026-01-01 2026-03-01 2026-05-01
            20260105 | FREQ=WEEKLY;INTERVAL=3;BYMONTH=1,2;COUNT=4 | 2026-01-05 2026-01-26 2026-02-16 2027-01-18
            20260101 | FREQ=DAILY;INTERVAL=10;BYMONTHDAY=1,11,31;COUNT=4 | 2026-01-01 2026-01-11 2026-01-31 2026-04-01
            20240401 | FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29;COUNT=3 | 2024-04-01 2028-02-29 2032-02-29
            20240229 | FREQ=YEARLY;COUNT=3 | 2024-02-29 2028-02-29 2032-02-29
            20240101 | FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO;COUNT=4 | 2024-01-01 2024-12-30 2025-12-29 2027-01-04
            20261228 | FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO,SU;COUNT=4 | 2026-12-28 2027-01-03 2032-12-27 2033-01-02
            20261221 | FREQ=YEARLY;BYWEEKNO=-2;BYDAY=MO;COUNT=3 | 2026-12-21 2027-12-20 2028-12-18
            20241230 | FREQ=YEARLY;INTERVAL=2;BYWEEKNO=1;BYDAY=MO;COUNT=3 | 2024-12-30 2027-01-04 2029-01-01
            20260101 | FREQ=YEARLY;BYYEARDAY=1,-1,366;COUNT=5 | 2026-01-01 2026-12-31 2027-01-01 2027-12-31 2028-01-01
            19970805 | FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO | 1997-08-05 1997-08-10 1997-08-19 1997-08-24
            19970805 | FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU | 1997-08-05 1997-08-17 1997-08-19 1997-08-31
            19970904 | FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3 | 1997-09-04 1997-10-07 1997-11-06
            19970929 | FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2;COUNT=3 | 1997-09-29 1997-10-30 1997-11-27
            19980213 | FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=3 | 1998-02-13 1998-03-13 1998-11-13
            19961105 | FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8;COUNT=3 | 1996-11-05 2000-11-07 2004-11-02
            19970519 | FREQ=YEARLY;BYDAY=20MO;COUNT=3 | 1997-05-19 1998-05-18 1999-05-17
            20260131 | FREQ=MONTHLY;COUNT=3 | 2026-01-31 2026-03-31 2026-05-31
            20070115 | FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5 | 2007-01-15 2007-01-30 2007-02-15 2007-03-15 2007-03-30
            20230411 | FREQ=YEARLY;INTERVAL=3;BYMONTH=3,4,8;BYSETPOS=2;COUNT=3 | 2023-04-11 2026-04-11 2029-04-11
            20260102 | FREQ=MONTHLY;BYDAY=-1FR;COUNT=3 | 2026-01-02 2026-01-30 2026-02-27
            20260102 | FREQ=YEARLY;BYMONTH=1;UNTIL=20251231 | 2026-01-02
            20260102 | freq=daily;count=2;byday=fr,sa | 2026-01-02 2026-01-03
            20260102 | FREQ=DAILY;COUNT=2;BYHOUR=9 | 2026-01-02 2026-01-03
            20260102 | FREQ=DAILY;COUNT=2;RSCALE=GREGORIAN;SKIP=OMIT | 2026-01-02 2026-01-03
            16040229 | FREQ=YEARLY;UNTIL=19800101 | 1972-02-29 1976-02-29
            """)
    void a_rule_gives_these_days(String start, String rule, String days) {
        assertEquals(days, days(read("UTC", "DTSTART;VALUE=DATE:" + start + "\nRRULE:" + rule)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            20260101T000000 | FREQ=HOURLY;INTERVAL=7;BYDAY=TH,FR;COUNT=5 | 01T00 01T07 01T14 01T21 02T04
            20260101T000000 | FREQ=MINUTELY;INTERVAL=90;BYHOUR=3,4;COUNT=3 | 01T00 01T03 01T04:30
            20260101T000000 | FREQ=SECONDLY;INTERVAL=3600;BYHOUR=5;BYMONTHDAY=2;COUNT=2 | 01T00 02T05
            20260101T000000 | FREQ=HOURLY;BYMINUTE=0,15,30;BYSETPOS=-1;COUNT=3 | 01T00 01T00:30 01T01:30
            20260101T000000 | FREQ=DAILY;BYHOUR=9,12;BYMINUTE=30;COUNT=4 | 01T00 01T09:30 01T12:30 02T09:30
            """)
    void a_rule_gives_these_times(String start, String rule, String times) {
        ObjectNode read = read("UTC", "DTSTART:" + start + "\nDURATION:PT1S\nRRULE:" + rule);
        List<String> found = new ArrayList<>();
        read.get("spans")
                .forEach(span -> found.add(
                        span.get("from").textValue().replace("2026-01-", "").replaceAll("(:00)*[.]000Z", "")));
        assertEquals(times, String.join(" ", found));
    }

    @Test
    void a_rule_keeps_its_rhythm_from_long_ago_and_until_2199() {
        ObjectNode old = read(
                "UTC", "DTSTART:00010101T003000\nDURATION:PT1S\nRRULE:FREQ=HOURLY;INTERVAL=1000000;UNTIL=20600101");
        assertEquals("2054-06-07T00:30:00.000Z", old.at("/spans/0/from").textValue());
        // The start of the periods goes back by one second a day.
        ObjectNode rare = read(
                "UTC",
                "DTSTART:19700101T000000\nDURATION:PT1S\n"
                        + "RRULE:FREQ=SECONDLY;INTERVAL=86399;BYHOUR=1;BYMINUTE=1;BYSECOND=1");
        assertEquals("2196-07-12T01:01:01.000Z", rare.at("/spans/1/from").textValue());
    }

    @Test
    void an_until_in_utc_means_that_moment_in_the_zone_of_whole_days() {
        String event = "DTSTART;VALUE=DATE:20230301\nRRULE:FREQ=DAILY;UNTIL=20230303T230000Z";
        assertEquals("2023-03-01..2023-03-04", days(read("Europe/Berlin", event)));
        assertEquals("2023-03-01..2023-03-03", days(read("America/New_York", event)));
        assertEquals("2023-03-01..2023-03-04", days(read("Asia/Tokyo", event)));
    }

    @Test
    void an_until_is_meant_in_the_zone_of_the_event() {
        String event = "DTSTART;TZID=America/New_York:20260101T200000\nDURATION:PT1H\nRRULE:FREQ=DAILY;UNTIL=";
        assertEquals(3, read("UTC", event + "20260104T010000Z").get("spans").size());
        assertEquals(2, read("UTC", event + "20260104T005959Z").get("spans").size());
        assertEquals(3, read("UTC", event + "20260103").get("spans").size());
        assertEquals(3, read("UTC", event + "20260103T200000").get("spans").size());
    }

    @Test
    void a_file_holds_several_rules_and_further_dates_of_an_event() {
        assertEquals(
                "2026-01-01 2026-01-05 2026-01-12 2026-02-01 2026-03-03 2026-04-04", days(read("Europe/Berlin", """
                        DTSTART;VALUE=DATE:20260101
                        RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20260112
                        RRULE:FREQ=MONTHLY;COUNT=2
                        RDATE;VALUE=DATE:20260303
                        RDATE:20260403T220000Z""")));
    }

    @Test
    void periods_have_lengths_of_their_own() {
        assertEquals(
                "[{\"from\":\"2026-03-01T10:00:00.000Z\",\"to\":\"2026-03-01T11:00:00.000Z\"},"
                        + "{\"from\":\"2026-03-28T11:00:00.000Z\",\"to\":\"2026-03-29T10:00:00.000Z\"},"
                        + "{\"from\":\"2026-04-01T08:00:00.000Z\",\"to\":\"2026-04-01T08:30:00.000Z\"}]",
                read("UTC", """
                        DTSTART;TZID=Europe/Berlin:20260301T110000
                        DURATION:PT1H
                        RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20260328T120000/P1D,20260401T100000/20260401T103000
                        RDATE;VALUE=PERIOD:20260501T100000Z/PT1H
                        EXDATE:20260501T100000Z""").get("spans").toString());
    }

    @Test
    void days_of_a_duration_are_those_of_the_wall_clock_and_the_rest_is_exact() {
        String start = "DTSTART;TZID=Europe/Berlin:20260328T120000\n";
        String from = "[{\"from\":\"2026-03-28T11:00:00.000Z\",\"to\":\"";
        assertEquals(
                from + "2026-03-29T10:00:00.000Z\"}]",
                read("UTC", start + "DURATION:P1D").get("spans").toString());
        assertEquals(
                from + "2026-03-29T11:00:00.000Z\"}]",
                read("UTC", start + "DURATION:PT24H").get("spans").toString());
        assertEquals(
                from + "2026-04-04T11:30:00.000Z\"}]",
                read("UTC", start + "DURATION:P1WT1H30M").get("spans").toString());
    }

    @Test
    void a_time_that_a_clock_change_skips_or_repeats_is_read_with_the_offset_before_it() {
        String rule = "\nDURATION:PT1H\nRRULE:FREQ=YEARLY;COUNT=1";
        assertEquals(
                "2026-03-29T01:30:00.000Z",
                read("UTC", "DTSTART;TZID=Europe/Berlin:20260329T023000" + rule)
                        .at("/spans/0/from")
                        .textValue());
        assertEquals(
                "2026-10-25T00:30:00.000Z",
                read("UTC", "DTSTART;TZID=Europe/Berlin:20261025T023000" + rule)
                        .at("/spans/0/from")
                        .textValue());
    }

    static ObjectNode read(String zone, String... events) {
        StringBuilder file = new StringBuilder("BEGIN:VCALENDAR\nVERSION:2.0\n");
        for (String event : events) {
            file.append("BEGIN:VEVENT\n").append(event.strip()).append("\nEND:VEVENT\n");
        }
        return HolidayFile.read(file.append("END:VCALENDAR\n").toString().getBytes(StandardCharsets.UTF_8), zone);
    }

    /** Dates and ranges in order. */
    static String days(ObjectNode read) {
        List<String> days = new ArrayList<>();
        read.get("dates").forEach(date -> days.add(date.textValue()));
        for (JsonNode range : read.get("ranges")) {
            String from = range.get("from").textValue();
            String to = range.get("to").textValue();
            days.add(from + (isNext(from, to) ? " " : "..") + to);
        }
        return String.join(" ", days.stream().sorted().toList());
    }

    private static boolean isNext(String from, String to) {
        return LocalDate.parse(from).plusDays(1).equals(LocalDate.parse(to));
    }
}
