package io.twinbell.node.calendar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.BusinessCalendar;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class CalendarReaderTest {
    private static final String EVERYTHING = """
            {"description":"closed","zone":"Europe/Berlin","mode":"EXCLUDE","dates":["2026-12-25"],
             "ranges":[{"from":"2026-12-30","to":"2027-01-01"}],"yearly":["05-01","02-29"],
             "weekly":[{"days":["SUN"]},{"days":["FRI","SUN"],"from":"22:00","to":"06:00"}],
             "spans":[{"from":"2026-11-24T10:00:00Z","to":"2026-11-24T11:00:00Z"}]}""";

    @Test
    void a_stored_schedule_means_what_was_written() {
        BusinessCalendar calendar = CalendarReader.compiled("c", 3, CalendarReader.normalized(json(EVERYTHING)));
        assertEquals("c", calendar.name());
        assertEquals(3, calendar.version());
        for (String closed : List.of("""
                2026-12-24T23:00:00Z 2026-12-31T12:00:00Z 2027-01-01T22:59:59Z 2028-02-29T12:00:00Z \
                2040-05-01T12:00:00Z 2026-11-22T12:00:00Z 2026-11-27T21:00:00Z 2026-11-28T04:59:59Z \
                2026-11-30T04:59:59Z 2026-11-24T10:30:00Z""".split(" "))) {
            assertFalse(allows(calendar, closed), closed);
        }
        for (String open : List.of("""
                2026-12-24T22:59:59Z 2026-12-26T05:00:00Z 2027-01-02T05:00:00Z 2027-03-01T12:00:00Z \
                2026-11-27T20:59:59Z 2026-11-28T05:00:00Z 2026-11-30T05:00:00Z 2026-11-24T11:00:00Z""".split(" "))) {
            assertTrue(allows(calendar, open), open);
        }
    }

    @Test
    void the_defaults_are_written_down() {
        assertEquals(
                "{\"zone\":\"UTC\",\"mode\":\"EXCLUDE\",\"weekly\":[{\"days\":[\"SAT\"],\"from\":\"00:00\",\"to\":\"24:00\"}]}",
                CalendarReader.normalized(json("{\"weekly\":[{\"days\":[\"SAT\"]}],\"dates\":[]}")));
    }

    @Test
    void allow_turns_it_around() {
        BusinessCalendar office = CalendarReader.compiled(
                "office",
                1,
                "{\"mode\":\"ALLOW\",\"weekly\":[{\"days\":[\"MON\"],\"from\":\"08:00\",\"to\":\"18:00\"}]}");
        assertTrue(allows(office, "2026-11-23T08:00:00Z"));
        assertFalse(allows(office, "2026-11-23T18:00:00Z"));
    }

    @Test
    void everything_wrong_is_told_at_once_with_its_place() {
        InvalidJsonException refusal = refusal("""
                {"zoen":"UTC","mode":"DENY","dates":["2026-02-30",7,"1969-12-31"],
                 "ranges":[{"from":"2026-01-02","to":"2026-01-01"},{"from":"2026-01-02"},5],
                 "yearly":["13-01","02-30"],
                 "weekly":[{"days":[]},{"days":["MO"]},{"days":["MON"],"from":"08:00","to":"08:00"},
                           {"days":["MON"],"from":"8:00"},{"days":["MON"],"until":"08:00"}],
                 "spans":[{"from":"2026-01-01T00:00:00.500Z","to":"2026-01-01T00:00:00Z"}]}""");
        assertEquals(
                List.of("""
                /mode /dates/0 /dates/1 /dates/2 /ranges/0/to /ranges/1/to /ranges/2 /yearly/0 /yearly/1 \
                /weekly/0/days /weekly/1/days/0 /weekly/2/to /weekly/3/from /weekly/4/until /spans/0/from /zoen""".split(" ")),
                refusal.errors().stream().map(error -> error.pointer()).toList());
    }

    @Test
    void a_calendar_that_allows_nothing_is_refused() {
        assertEquals(
                "/mode: is ALLOW, but the calendar has no times: nothing would ever fire",
                refusal("{\"mode\":\"ALLOW\"}").getMessage());
        assertEquals("{\"zone\":\"UTC\",\"mode\":\"EXCLUDE\"}", CalendarReader.normalized(json("{}")));
    }

    @Test
    void lists_are_bounded_and_zones_must_exist() {
        String many = "\"2026-01-01\",".repeat(CalendarReader.MAX_ENTRIES) + "\"2026-01-01\"";
        assertEquals(
                "/dates: must be a list of at most 20000 entries",
                refusal("{\"dates\":[" + many + "]}").getMessage());
        assertTrue(refusal("{\"zone\":\"Europe/Berlim\"}").getMessage().contains("Europe/Berlin"));
    }

    private static boolean allows(BusinessCalendar calendar, String instant) {
        return calendar.allows(Instant.parse(instant).toEpochMilli());
    }

    private static InvalidJsonException refusal(String json) {
        ObjectNode calendar = json(json);
        return assertThrows(InvalidJsonException.class, () -> CalendarReader.normalized(calendar));
    }

    private static ObjectNode json(String json) {
        return (ObjectNode) StrictJson.read(json.getBytes(StandardCharsets.UTF_8));
    }
}
