package io.twinbell.node.calendar;

import static io.twinbell.node.calendar.HolidayRulesTest.days;
import static io.twinbell.node.calendar.HolidayRulesTest.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.InvalidJsonException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Exceptions, and events that stand in for occurrences of others. */
class HolidayOverridesTest {
    private static final String WEEKLY = "UID:a\nDTSTART;VALUE=DATE:20261102\nRRULE:FREQ=WEEKLY;COUNT=4\n";
    private static final String MEETING =
            "UID:b\nDTSTART;TZID=Europe/Berlin:20261005T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=5\n";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "EXDATE;VALUE=DATE:20261109,20261116",
                "EXDATE:20261109,20261116",
                "EXDATE:20261109T000000,20261116T000000",
                "EXDATE;TZID=Europe/Berlin:20261109T000000,20261116T120000",
                "EXDATE:20261108T230000Z,20261115T230000Z",
                "EXDATE:20261109T000000Z\nEXDATE:20261116T000000Z"
            })
    void a_whole_day_is_excepted_by_its_date_or_a_time_in_it(String exceptions) {
        assertEquals("2026-11-02 2026-11-23", days(read("Europe/Berlin", WEEKLY + exceptions)));
    }

    @Test
    void a_time_that_does_not_say_which_whole_day_is_refused() {
        InvalidJsonException refusal = assertThrows(
                InvalidJsonException.class, () -> read("America/New_York", WEEKLY + "EXDATE:20261109T000000Z"));
        assertTrue(refusal.getMessage().startsWith("line 7: EXDATE: "), refusal::getMessage);
        assertEquals(
                "2026-11-02 2026-11-16 2026-11-23", days(read("America/New_York", WEEKLY + "EXDATE:20261109T050000Z")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "EXDATE;TZID=Europe/Berlin:20261012T090000,20261026T090000",
                "EXDATE;TZID=\"America/New_York\":20261012T030000,20261026T040000",
                "EXDATE:20261012T070000Z,20261026T080000Z",
                "EXDATE:20261012T090000,20261026T090000",
                "EXDATE;VALUE=DATE:20261012,20261026"
            })
    void a_time_is_excepted_in_any_zone_or_by_its_day(String exceptions) {
        assertEquals(
                "2026-10-05T07 2026-10-19T07 2026-11-02T08", times(read("America/New_York", MEETING + exceptions)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RECURRENCE-ID;VALUE=DATE:20261109",
                "RECURRENCE-ID:20261109T000000",
                "RECURRENCE-ID:20261108T230000Z",
                "RECURRENCE-ID;TZID=Europe/Berlin:20261109T000000"
            })
    void one_whole_day_is_moved_whatever_type_its_id_has(String id) {
        assertEquals(
                "2026-11-02 2026-11-11 2026-11-16 2026-11-23",
                days(read("Europe/Berlin", WEEKLY, "UID:a\nDTSTART;VALUE=DATE:20261111\n" + id)));
    }

    @Test
    void one_time_is_moved_by_the_day_of_its_id_too() {
        String moved = "UID:b\nDTSTART:20261013T100000Z\nDURATION:PT2H\n";
        String times = "2026-10-05T07 2026-10-13T10 2026-10-19T07 2026-10-26T08 2026-11-02T08";
        assertEquals(times, times(read(null, MEETING, moved + "RECURRENCE-ID;VALUE=DATE:20261012")));
        assertEquals(times, times(read(null, MEETING, moved + "RECURRENCE-ID:20261012T070000Z")));
        assertEquals(times, times(read(null, moved + "RECURRENCE-ID;TZID=Europe/Berlin:20261012T090000", MEETING)));
    }

    @Test
    void a_change_of_this_and_the_following_moves_all_of_them_on_the_wall_clock() {
        ObjectNode read = read(null, MEETING, """
                UID:b
                RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20261019T090000
                DTSTART;TZID=Europe/Berlin:20261020T100000
                DURATION:PT3H
                """, """
                UID:b
                RECURRENCE-ID;TZID=Europe/Berlin:20261102T090000
                STATUS:CANCELLED
                """);
        assertEquals("2026-10-05T07 2026-10-12T07 2026-10-20T08 2026-10-27T09", times(read));
        assertEquals("2026-10-27T12:00:00.000Z", read.at("/spans/3/to").textValue());
    }

    @Test
    void whole_days_that_follow_are_moved_or_cancelled() {
        assertEquals(
                "2026-11-02 2026-11-10 2026-11-11 2026-11-17 2026-11-18 2026-11-24 2026-11-25",
                days(read("UTC", WEEKLY, """
                        UID:a
                        RECURRENCE-ID;VALUE=DATE;RANGE=THISANDFUTURE:20261109
                        DTSTART;VALUE=DATE:20261110
                        DTEND;VALUE=DATE:20261112
                        """)));
        assertEquals(
                "2026-11-02 2026-11-09",
                days(read(
                        "UTC",
                        WEEKLY,
                        "UID:a\nSTATUS:CANCELLED\nRECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20261116")));
    }

    @Test
    void the_highest_sequence_of_an_event_counts() {
        assertEquals(
                "2026-12-02",
                days(read(
                        "UTC",
                        "UID:a\nDTSTART:20261201",
                        "UID:a\nSEQUENCE:2\nDTSTART:20261202",
                        "UID:a\nSEQUENCE:1\nDTSTART:20261203")));
        assertEquals(
                "",
                days(read("UTC", "UID:a\nDTSTART:20261201", "UID:a\nSEQUENCE:2\nSTATUS:CANCELLED\nDTSTART:20261201")));
    }

    @Test
    void transparent_and_tentative_events_count_like_others() {
        assertEquals(
                "2026-12-01 2026-12-03",
                days(read("UTC", "DTSTART:20261201\nTRANSP:TRANSPARENT", "DTSTART:20261203\nSTATUS:TENTATIVE")));
    }

    private static String times(ObjectNode read) {
        StringBuilder times = new StringBuilder();
        read.get("spans")
                .forEach(span ->
                        times.append(span.get("from").textValue(), 0, 13).append(' '));
        return times.toString().strip();
    }
}
