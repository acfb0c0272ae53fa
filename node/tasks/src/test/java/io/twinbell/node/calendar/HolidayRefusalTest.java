package io.twinbell.node.calendar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.json.InvalidJsonException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a file may not say, and how much of it. A vertical bar ends a line; the first property is at line 4. */
class HolidayRefusalTest {
    private static final String EVENT = "BEGIN:VEVENT\nDTSTART:20260101T000000Z\nDURATION:PT1S\nRRULE:%s\nEND:VEVENT\n";

    @ParameterizedTest
    @CsvSource(delimiter = '!', textBlock = """
            4 ! DTSTART;VALUE=DATE:2026-13-45
            4 ! DTSTART;VALUE=DATE:20260230
            4 ! DTSTART;VALUE=DATE:20261224T000000
            4 ! DTSTART;VALUE=PERIOD:20261224T000000/PT1H
            4 ! DTSTART:20261224T250000
            4 ! DTSTART;VALUE=DATE:22000101
            4 ! DTSTART;TZID=Europe/Berlin:20261224T140000Z|DURATION:PT1H
            4 ! DTSTART;TZID=Middle/Earth:20261224T140000|DURATION:PT1H
            4 ! DTSTART;TZID=W. Europe Standard Time:20261224T140000|DURATION:PT1H
            5 ! DTSTART;VALUE=DATE:20261224|DTSTART;VALUE=DATE:20261225
            3 ! SUMMARY:no start
            3 ! DTSTART:20261224T140000Z
            5 ! DTSTART:20261224T140000Z|DTEND:20261224T130000Z
            5 ! DTSTART;VALUE=DATE:20261224|DTEND:20261225T130000Z
            5 ! DTSTART:20261224T140000Z|DTEND;VALUE=DATE:20261225
            5 ! DTSTART;VALUE=DATE:20261224|DURATION:PT3H
            5 ! DTSTART;VALUE=DATE:20261224|DURATION:-P1D
            5 ! DTSTART:20261224T140000Z|DURATION:PT
            5 ! DTSTART:20261224T140000Z|DURATION:P99999999999W
            6 ! DTSTART:20261224T140000Z|DTEND:20261224T150000Z|DURATION:PT1H
            6 ! DTSTART:20261224T140000Z|DURATION:PT1H|RRULE:FREQ=SECONDLY
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=HOURLY
            5 ! DTSTART;VALUE=DATE:20261224|EXRULE:FREQ=DAILY
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=SOMETIMES
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:BYMONTH=1
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=DAILY;INTERVAL=0
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=DAILY;INTERVAL=2147483648
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=DAILY;COUNT=-1
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=DAILY;COUNT=2;UNTIL=20270101
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=DAILY;UNTIL=soon
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=DAILY;FREQ=DAILY
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=DAILY;BYEASTER=1
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=DAILY;BYMONTH=13
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=DAILY;BYMONTH=1,,2
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=DAILY;BYDAY=1MO
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=MONTHLY;BYDAY=54MO
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=WEEKLY;BYMONTHDAY=1
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=MONTHLY;BYWEEKNO=1
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=MONTHLY;BYYEARDAY=1
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=DAILY;BYSETPOS=1
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=YEARLY;RSCALE=HEBREW
            5 ! DTSTART;VALUE=DATE:20261224|RRULE:FREQ=YEARLY;SKIP=FORWARD
            5 ! DTSTART;VALUE=DATE:20261224|RDATE:20261224T140000/PT1H
            6 ! DTSTART:20261224T140000Z|DURATION:PT1H|RDATE;VALUE=DATE:20261226
            6 ! DTSTART:20261224T140000Z|DURATION:PT1H|RDATE;VALUE=PERIOD:20261224T140000Z/20261224T130000Z
            5 ! DTSTART;VALUE=DATE:20261224|RECURRENCE-ID;VALUE=DATE:20261224
            6 ! UID:a|DTSTART;VALUE=DATE:20261224|RECURRENCE-ID;RANGE=THISANDPRIOR:20261224
            6 ! UID:a|DTSTART;VALUE=DATE:20261224|RECURRENCE-ID;RANGE=THISANDFUTURE:20261224
            7 ! UID:a|DTSTART;VALUE=DATE:20261224|RECURRENCE-ID:20261224|RRULE:FREQ=DAILY
            5 ! DTSTART;VALUE=DATE:20261224|no colon
            5 ! DTSTART;VALUE=DATE:20261224|X-A;B:no value
            4 ! END:VTODO
            5 ! BEGIN:VALARM
            4 ! BEGIN:VEVENT
            """)
    void a_property_that_cannot_be_honoured_is_refused_with_its_line(int line, String properties) {
        String message = refusal("BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\n" + properties.replace('|', '\n')
                + "\nEND:VEVENT\nEND:VCALENDAR\n");
        assertTrue(message.startsWith("line " + (properties.equals("BEGIN:VALARM") ? 5 : line) + ": "), message);
    }

    @ParameterizedTest
    @CsvSource({
        "VERSION:1.0",
        "CALSCALE:HEBREW",
        "METHOD:CANCEL",
        "BEGIN:VFREEBUSY|END:VFREEBUSY",
        "X-WR-TIMEZONE:Middle/Earth",
        "BEGIN:VCALENDAR"
    })
    void a_file_that_is_no_such_calendar_is_refused(String properties) {
        String message = refusal("BEGIN:VCALENDAR\n" + properties.replace('|', '\n') + "\nEND:VCALENDAR\n");
        assertTrue(message.startsWith("line 2: "), message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '!', textBlock = """
            FREQ=SECONDLY;BYHOUR=1;BYMINUTE=1;BYSECOND=1
            FREQ=MINUTELY;INTERVAL=2;BYMINUTE=1
            FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=HOURS;BYMINUTE=ALL;BYSECOND=ALL
            FREQ=DAILY;COUNT=2147483647
            """)
    void work_is_bounded_and_not_only_results(String rule) {
        String written = rule.replace("HOURS", upTo(24)).replace("ALL", upTo(60));
        String events = EVENT.formatted(written).repeat(30);
        String message = refusal("BEGIN:VCALENDAR\n" + events + "END:VCALENDAR\n");
        assertTrue(message.startsWith("line ") && message.contains("RRULE"), message);
    }

    @Test
    void rules_that_rarely_come_cost_next_to_nothing() {
        String seldom = EVENT.formatted("FREQ=DAILY;INTERVAL=2147483647")
                + EVENT.formatted("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30")
                + EVENT.formatted("FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30")
                + EVENT.formatted("FREQ=MINUTELY;BYSECOND=" + upTo(60) + ";BYSETPOS=366")
                + EVENT.formatted("FREQ=YEARLY;BYDAY=MO;BYHOUR=" + upTo(24) + ";BYMINUTE=" + upTo(60) + ";BYSECOND="
                        + upTo(60) + ";BYSETPOS=1");
        String file = "BEGIN:VCALENDAR\n" + seldom.repeat(18) + "END:VCALENDAR\n";
        assertEquals(
                175,
                HolidayFile.read(file.getBytes(StandardCharsets.UTF_8), null)
                        .get("spans")
                        .size());
    }

    @Test
    void periods_that_have_nothing_are_work_too() {
        // No year that is counted is a leap year.
        String event = "BEGIN:VEVENT\nDTSTART:00010101\nRRULE:FREQ=YEARLY;INTERVAL=4;BYYEARDAY=366\nEND:VEVENT\n";
        String message = refusal("BEGIN:VCALENDAR\n" + event.repeat(5_000) + "END:VCALENDAR\n");
        assertTrue(message.contains("RRULE: the events of this file take more than 5000000 steps"), message);
    }

    @Test
    void each_override_is_work_for_each_event_that_it_may_stand_in_for() {
        String main = "BEGIN:VEVENT\nUID:a\nDTSTART:20260101\nEND:VEVENT\n";
        String override = "BEGIN:VEVENT\nUID:a\nDTSTART:20260102\nRECURRENCE-ID:20260101\nEND:VEVENT\n";
        String message = refusal("BEGIN:VCALENDAR\n" + main.repeat(1_200) + override.repeat(1_200) + "END:VCALENDAR\n");
        assertTrue(message.contains("RECURRENCE-ID: the events of this file take more than"), message);
    }

    @Test
    void a_zone_is_not_looked_for_behind_any_number_of_slashes() {
        String event = "BEGIN:VEVENT\nDTSTART;TZID=%sEurope/Berlin:20261224T100000\nDURATION:PT1H\nEND:VEVENT\n";
        assertRefused(3, "TZID", event.formatted("/" + "x/".repeat(100)));
        String usual = "BEGIN:VCALENDAR\n" + event.formatted("/mozilla.org/20070129_1/") + "END:VCALENDAR\n";
        assertEquals(
                1,
                HolidayFile.read(usual.getBytes(StandardCharsets.UTF_8), null)
                        .get("spans")
                        .size());
    }

    @Test
    void events_properties_components_lines_and_dates_are_bounded() {
        String event = "BEGIN:VEVENT\nDTSTART:20261224\nEND:VEVENT\n";
        assertRefused(15_002, "events", event.repeat(5_001));
        assertRefused(100_001, "properties", "BEGIN:VTODO\nEND:VTODO\n".repeat(50_000));
        assertRefused(100_001, "properties", "A:\n".repeat(100_000));
        assertRefused(100_001, "properties", "BEGIN:VEVENT\n" + "EXDATE:20261224\n".repeat(100_000));
        assertRefused(2, "bytes", "A:" + "x\n ".repeat(1_100_000) + "\n");
        assertRefused(11, "levels of nesting", "BEGIN:X\n".repeat(30));
        String dates = "20261224,".repeat(20_000) + "20261225\n";
        assertRefused(
                8, "100000 times", "BEGIN:VEVENT\nDTSTART:20261224\n" + ("RDATE:" + dates).repeat(6) + "END:VEVENT\n");
        String manyTimes = "BEGIN:VEVENT\nDTSTART:20260101T000000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY\nEND:VEVENT\n";
        assertRefused(5, "separate times", manyTimes);
    }

    @Test
    void zones_of_their_own_are_checked_and_bounded() {
        String event = "BEGIN:VEVENT\nDTSTART;TZID=x:20261224T100000\nDURATION:PT1H\nEND:VEVENT\n";
        String start = "BEGIN:VTIMEZONE\nTZID:x\nBEGIN:STANDARD\nDTSTART:";
        String end = "END:STANDARD\nEND:VTIMEZONE\n" + event;
        String offsets = "TZOFFSETFROM:+0100\nTZOFFSETTO:+0200\n";
        assertRefused(2, "neither STANDARD nor DAYLIGHT", "BEGIN:VTIMEZONE\nTZID:x\nEND:VTIMEZONE\n" + event);
        assertRefused(4, "TZOFFSETFROM", start + "19700101T000000\n" + end);
        assertRefused(5, "without a zone", start + "19700101T000000Z\n" + offsets + end);
        assertRefused(6, "offset", start + "19700101T000000\nTZOFFSETFROM:1\n" + end);
        assertRefused(8, "changes of its offset", start + "19700101T000000\n" + offsets + "RRULE:FREQ=DAILY\n" + end);
        assertRefused(5, "two VTIMEZONE", "BEGIN:VTIMEZONE\nTZID:x\nEND:VTIMEZONE\n".repeat(2) + event);
    }

    private static void assertRefused(int line, String text, String body) {
        String message = refusal("BEGIN:VCALENDAR\n" + body + "END:VCALENDAR\n");
        assertTrue(message.startsWith("line " + line + ": "), message);
        assertTrue(message.contains(text), message);
    }

    private static String upTo(int end) {
        return IntStream.range(0, end).mapToObj(String::valueOf).collect(Collectors.joining(","));
    }

    private static String refusal(String file) {
        return assertThrows(
                        InvalidJsonException.class, () -> HolidayFile.read(file.getBytes(StandardCharsets.UTF_8), null))
                .getMessage();
    }
}
