package io.twinbell.tools.importer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IcsCalendarTest {
    private static List<ImportCandidate> read(String... lines) {
        String file = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + String.join("\r\n", lines) + "\r\nEND:VCALENDAR\r\n";
        return IcsCalendar.read(
                file,
                new IcsCalendar.Options(
                        "shop",
                        "Europe/Berlin",
                        Map.of("W. Europe", "Europe/Vienna"),
                        task -> task.putObject("handler").put("type", "log")));
    }

    /** @param properties of an event, separated by | */
    private static List<ImportCandidate> event(String properties) {
        return read(("BEGIN:VEVENT|UID:u1|SUMMARY:Close day|" + properties + "|END:VEVENT").split("\\|"));
    }

    private static ObjectNode task(String properties) {
        ImportCandidate only = event(properties).get(0);
        assertTrue(only.isTaken(), only.obstacle());
        return only.task();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '!', quoteCharacter = '`', textBlock = """
            DTSTART:20300105T090000Z ! {"at":"2030-01-05T09:00:00Z"}
            DTSTART:20300105T090000 ! {"at":"2030-01-05T08:00:00Z"}
            DTSTART;VALUE=DATE:20300105 ! {"at":"2030-01-04T23:00:00Z"}
            """)
    void an_event_that_does_not_recur_fires_once(String properties, String schedule) {
        assertEquals(schedule, task(properties).get("schedule").toString());
    }

    @Test
    void a_recurring_event_keeps_its_rule_its_dates_and_its_zone() {
        ObjectNode task = task("DTSTART;TZID=Europe/Berlin:20260105T090000|RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"
                + "|RDATE;TZID=Europe/Berlin:20260107T090000,20260108T100000|EXDATE:20260202T080000Z"
                + "|EXDATE;VALUE=DATE:20260216");
        assertEquals(
                "{\"rrule\":\"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO\",\"dtstart\":\"2026-01-05T09:00\",\"zone\":\"Europe/Berlin\","
                        + "\"rdate\":[\"2026-01-07T09:00\",\"2026-01-08T10:00\"],"
                        + "\"exdate\":[\"2026-02-02T09:00\",\"2026-02-16\"]}",
                task.get("schedule").toString());
        assertEquals("close-day", task.get("name").asText());
        assertEquals(
                "{\"uid\":\"u1\",\"summary\":\"Close day\"}", task.get("data").toString());
        assertEquals("log", task.at("/handler/type").asText());
    }

    @Test
    void dates_without_a_rule_are_listed_and_a_date_stays_one() {
        assertEquals(
                "{\"rrule\":\"FREQ=DAILY;COUNT=1\",\"dtstart\":\"2026-01-05\",\"zone\":\"Europe/Berlin\","
                        + "\"rdate\":[\"2026-02-05\"]}",
                task("DTSTART;VALUE=DATE:20260105|RDATE;VALUE=DATE:20260205")
                        .get("schedule")
                        .toString());
    }

    @Test
    void a_changed_occurrence_fires_by_itself_and_not_in_its_series() {
        List<ImportCandidate> found = read(
                "BEGIN:VEVENT",
                "UID:u1",
                "SUMMARY:Stand-up",
                "DTSTART;TZID=Europe/Berlin:20300107T090000",
                "RRULE:FREQ=WEEKLY",
                "END:VEVENT",
                "BEGIN:VEVENT",
                "UID:u1",
                "SUMMARY:Stand-up",
                "RECURRENCE-ID;TZID=Europe/Berlin:20300114T090000",
                "DTSTART;TZID=Europe/Berlin:20300114T110000",
                "END:VEVENT",
                "BEGIN:VEVENT",
                "UID:u1",
                "RECURRENCE-ID;TZID=Europe/Berlin:20300121T090000",
                "DTSTART;TZID=Europe/Berlin:20300121T090000",
                "STATUS:CANCELLED",
                "END:VEVENT");
        assertEquals(
                "[\"2030-01-14T09:00\",\"2030-01-21T09:00\"]",
                found.get(0).task().at("/schedule/exdate").toString());
        assertEquals(
                "2030-01-14T10:00:00Z", found.get(1).task().at("/schedule/at").asText());
        assertEquals("stand-up-2", found.get(1).task().get("name").asText());
        assertEquals("is cancelled", found.get(2).obstacle());
    }

    @Test
    void a_folded_line_and_an_escaped_text_are_read_whole() {
        ObjectNode task = task("DTSTART:20300105T090000Z|DESCRIPTION:a|X-NOTE:x\r\n y|SUMMARY:Second");
        assertEquals("close-day", task.get("name").asText(), "the first SUMMARY counts");
        List<ImportCandidate> found = read(
                "BEGIN:VEVENT",
                "UID:1",
                "SUMMARY:Tea\\, cof",
                " fee\\nand more",
                "DTSTART:20300105T090000Z",
                "END:VEVENT");
        assertEquals(
                "Tea, coffee and more", found.get(0).task().at("/data/summary").asText());
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', textBlock = """
            TZID=W. Europe; Europe/Vienna
            TZID="Europe/Paris"; Europe/Paris
            TZID=/freeassociation.sourceforge.net/Europe/Rome; Europe/Rome
            """)
    void the_zone_of_an_event_is_found_by_the_name_that_its_program_writes(String parameter, String zone) {
        assertEquals(
                zone,
                task("DTSTART;" + parameter + ":20300105T090000|RRULE:FREQ=DAILY")
                        .at("/schedule/zone")
                        .asText());
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', textBlock = """
            RRULE:FREQ=DAILY; has no DTSTART
            DTSTART:20300105T090000Z|RRULE:FREQ=DAILY|RRULE:FREQ=WEEKLY; several RRULE
            DTSTART:20300105T090000Z|RRULE:FREQ=DAILY|EXRULE:FREQ=WEEKLY; EXRULE
            DTSTART:2030-01-05; is not a date or a time
            """)
    void an_event_that_no_schedule_can_express_is_left_out_with_its_reason(String properties, String reason) {
        ImportCandidate only = event(properties).get(0);
        assertTrue(!only.isTaken() && only.obstacle().contains(reason), only.obstacle());
    }

    @Test
    void unknown_zones_periods_and_ranges_are_left_out_too() {
        assertTrue(event("DTSTART;TZID=Nowhere:20300105T090000")
                .get(0)
                .obstacle()
                .contains("give --map-zone \"Nowhere=Area/City\""));
        assertTrue(event("DTSTART:20300105T090000Z|RDATE;VALUE=PERIOD:20300105T090000Z/PT1H")
                .get(0)
                .obstacle()
                .contains("periods"));
        assertTrue(event("DTSTART:20300105T090000Z|RDATE;RANGE=THISANDFUTURE:20300105T090000Z")
                .get(0)
                .obstacle()
                .contains("RANGE"));
    }

    @Test
    void what_is_no_event_is_listed_and_a_time_zone_is_not() {
        List<ImportCandidate> found =
                read("BEGIN:VTIMEZONE", "TZID:X", "END:VTIMEZONE", "BEGIN:VTODO", "SUMMARY:Buy", "END:VTODO");
        assertEquals(1, found.size());
        assertEquals("VTODO is not an event", found.get(0).obstacle());
    }

    @ParameterizedTest
    @CsvSource({"hello, line 1 is not NAME:value", "BEGIN:VEVENT, must not begin here", "'', there is no VCALENDAR"})
    void another_file_is_refused(String text, String reason) {
        String message = assertThrows(
                        IllegalArgumentException.class,
                        () -> IcsCalendar.read(text, new IcsCalendar.Options("a", null, Map.of(), task -> {})))
                .getMessage();
        assertTrue(message.contains(reason), message);
    }
}
