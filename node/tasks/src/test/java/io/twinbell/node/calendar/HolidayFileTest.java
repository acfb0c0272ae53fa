package io.twinbell.node.calendar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.BusinessCalendar;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;

class HolidayFileTest {
    @Test
    void whole_days_are_dates_and_ranges_of_the_zone() {
        ObjectNode read = read("Europe/Berlin", """
                DTSTART;VALUE=DATE:20261225
                DTEND;VALUE=DATE:20261227
                """, """
                DTSTART;VALUE=DATE:20261003
                SUMMARY:a day without an end is one day\\, even if its summary
                  is folded
                """);
        assertEquals("Europe/Berlin", read.get("zone").textValue());
        assertEquals("[\"2026-10-03\"]", read.get("dates").toString());
        assertEquals(
                "[{\"from\":\"2026-12-25\",\"to\":\"2026-12-26\"}]",
                read.get("ranges").toString());
    }

    @Test
    void a_yearly_holiday_comes_every_year_up_to_2199() {
        ObjectNode read = read(null, "DTSTART;VALUE=DATE:20200501\nRRULE:FREQ=YEARLY\n");
        assertEquals(180, read.get("dates").size());
        assertEquals("2199-05-01", read.get("dates").get(179).textValue());
    }

    @Test
    void rules_end_and_have_exceptions_and_further_dates() {
        ObjectNode read = read(null, """
                DTSTART;VALUE=DATE:20261102
                RRULE:FREQ=WEEKLY;UNTIL=20261130
                EXDATE;VALUE=DATE:20261116
                RDATE;VALUE=DATE:20261225
                """);
        assertEquals(
                "[\"2026-11-02\",\"2026-11-09\",\"2026-11-23\",\"2026-11-30\",\"2026-12-25\"]",
                read.get("dates").toString());
    }

    @Test
    void timed_events_are_spans_that_keep_to_the_wall_clock_of_their_zone() {
        ObjectNode read = read(null, """
                DTSTART;TZID=Europe/Berlin:20260328T220000
                DTEND;TZID=Europe/Berlin:20260329T060000
                RRULE:FREQ=DAILY;UNTIL=20260330T200000Z
                """, """
                DTSTART:20261224T140000Z
                DURATION:PT2H30M
                """, """
                DTSTART:20261231T180000
                DTEND:20261231T190000
                """);
        assertEquals(
                "[{\"from\":\"2026-03-28T21:00:00.000Z\",\"to\":\"2026-03-29T04:00:00.000Z\"},"
                        + "{\"from\":\"2026-03-29T20:00:00.000Z\",\"to\":\"2026-03-30T03:00:00.000Z\"},"
                        + "{\"from\":\"2026-03-30T20:00:00.000Z\",\"to\":\"2026-03-31T03:00:00.000Z\"},"
                        + "{\"from\":\"2026-12-24T14:00:00.000Z\",\"to\":\"2026-12-24T16:30:00.000Z\"},"
                        + "{\"from\":\"2026-12-31T18:00:00.000Z\",\"to\":\"2026-12-31T19:00:00.000Z\"}]",
                read.get("spans").toString());
    }

    @Test
    void a_time_without_a_zone_is_one_of_the_calendars_zone() {
        ObjectNode read = read("America/New_York", "DTSTART:20261231T180000\nDTEND:20261231T190000\n");
        assertEquals("2026-12-31T23:00:00.000Z", read.at("/spans/0/from").textValue());
    }

    @Test
    void nothing_depends_on_the_zone_of_this_process() {
        TimeZone was = TimeZone.getDefault();
        try {
            TimeZone.setDefault(TimeZone.getTimeZone("America/Sao_Paulo"));
            // Midnight did not exist there on that day.
            ObjectNode read = read(null, "DTSTART;VALUE=DATE:20181103\nRRULE:FREQ=DAILY;COUNT=3\n");
            assertEquals(
                    "[{\"from\":\"2018-11-03\",\"to\":\"2018-11-05\"}]",
                    read.get("ranges").toString());
        } finally {
            TimeZone.setDefault(was);
        }
    }

    @Test
    void one_occurrence_may_be_moved_or_cancelled() {
        ObjectNode read = read(null, """
                UID:a
                DTSTART;VALUE=DATE:20261102
                RRULE:FREQ=WEEKLY;COUNT=3
                """, """
                UID:a
                RECURRENCE-ID;VALUE=DATE:20261109
                DTSTART;VALUE=DATE:20261111
                """, """
                UID:a
                STATUS:CANCELLED
                RECURRENCE-ID;VALUE=DATE:20261116
                DTSTART;VALUE=DATE:20261116
                """, """
                STATUS:CANCELLED
                DTSTART;VALUE=DATE:20261224
                """);
        assertEquals("[\"2026-11-02\",\"2026-11-11\"]", read.get("dates").toString());
    }

    @Test
    void an_imported_calendar_is_a_calendar_like_any_other() {
        ObjectNode read = read("Europe/Berlin", "DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=YEARLY\n");
        BusinessCalendar calendar = CalendarReader.compiled("x", 1, CalendarReader.normalized(read));
        assertFalse(calendar.allows(Instant.parse("2030-12-24T23:00:00Z").toEpochMilli()));
        assertTrue(calendar.allows(Instant.parse("2030-12-25T23:00:00Z").toEpochMilli()));
    }

    @Test
    void a_file_that_is_no_calendar_or_cut_off_is_refused() {
        assertEquals("line 1: must be BEGIN:VCALENDAR", refusal("hello"));
        assertEquals("line 1: the file has no VCALENDAR", refusal(""));
        assertEquals("line 2: END:VCALENDAR is missing", refusal("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n"));
        assertEquals("line 3: text follows END:VCALENDAR", refusal("BEGIN:VCALENDAR\nEND:VCALENDAR\nA:b\n"));
        assertEquals("line 3: the file has a second VCALENDAR", refusal("BEGIN:VCALENDAR\nEND:VCALENDAR\n".repeat(2)));
    }

    private static String refusal(String file) {
        return assertThrows(
                        InvalidJsonException.class, () -> HolidayFile.read(file.getBytes(StandardCharsets.UTF_8), null))
                .getMessage();
    }

    private static ObjectNode read(String zone, String... events) {
        StringBuilder file = new StringBuilder("BEGIN:VCALENDAR\nVERSION:2.0\n");
        for (String event : events) {
            file.append("BEGIN:VEVENT\n").append(event).append("END:VEVENT\n");
        }
        byte[] bytes =
                file.append("END:VCALENDAR\n").toString().replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8);
        return HolidayFile.read(bytes, zone);
    }
}
