package io.twinbell.node.schedule;

import static io.twinbell.node.schedule.ScheduleFixtures.assertFires;
import static io.twinbell.node.schedule.ScheduleFixtures.at;
import static io.twinbell.node.schedule.ScheduleFixtures.fires;
import static io.twinbell.node.schedule.ScheduleFixtures.json;
import static io.twinbell.node.schedule.ScheduleFixtures.schedule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SchedulesTest {
    private static final Window OPEN = Window.from(at("2026-01-01T00:00:00Z"));

    /** Each line: JSON, the pointer to what is wrong, and a part of the message. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '§', textBlock = """
            null                                    | §§       | a schedule is a JSON object
            []                                      | §§       | a schedule is a JSON object
            '0 0 * * *'                             | §§       | a schedule is a JSON object
            {}                                      | §§       | this one has none of them
            {'zone':'UTC'}                          | §§       | this one has none of them
            {'cron':'0 0 * * *','every':'PT5S'}     | §§       | this one has cron and every
            {'cron':null}                           | /cron    | cron must be a string
            {'cron':5}                              | /cron    | cron must be a string
            {'every':5000}                          | /every   | every must be a string
            {'at':1735689600}                       | /at      | at must be a string
            {'in':[]}                               | /in      | in must be a string
            {'cron':'@daily','zone':null}           | /zone    | zone must be a string
            {'cron':'@daily','zone':''}             | /zone    | is not a time zone
            {'cron':'@daily','mode':'FIXED_RATE'}   | /mode    | allowed are cron, dialect, zone, dstGap, dstOverlap
            {'cron':'@daily','a/b~c':1}             | /a~1b~0c | does not belong
            {'every':'PT5S','zone':'UTC'}           | /zone    | allowed are every, mode
            {'at':'2026-02-01T00:00:00Z','x':1}     | /x       | does not belong in a schedule with at
            {'cron':'@daily','dialect':'unix'}      | /dialect | "unix"; allowed are [UNIX, QUARTZ, SPRING]
            {'cron':'@daily','dstGap':'LATER'}      | /dstGap  | allowed are [SHIFT, SKIP]
            {'cron':'@daily','dstOverlap':1}        | /dstOverlap | dstOverlap must be a string
            {'every':'PT5S','mode':'FIXED'}         | /mode    | allowed are [FIXED_RATE, FIXED_DELAY]
            {'every':'PT5S','first':'LATER'}        | /first   | allowed are [AT_START, AFTER_INTERVAL]
            {'every':'PT5S','align':5}              | /align   | align must be a string
            {'every':'PT5S','align':'PT0S'}         | /align   | allowed are 10 ms to ten years
            {'cron':'@every 5m','align':'PT1H'}     | /align   | does not belong in a schedule with cron
            {'at':'2026-02-01'}                     | /at      | must be an instant such as
            {'at':'2026-02-01T00:00:00'}            | /at      | must be an instant such as
            {'at':'2026-02-30T00:00:00Z'}           | /at      | must be an instant such as
            {'at':'2026-02-01T00:00:00.0001Z'}      | /at      | has more than three decimals
            {'at':'+999999999-01-01T00:00:00Z'}     | /at      | must lie between 1970 and 2199
            {'at':'1969-12-31T23:59:59Z'}           | /at      | must lie between 1970 and 2199
            {'in':'-PT5S'}                          | /in      | allowed are PT0S to ten years
            {'in':'P1M'}                            | /in      | years and months have no fixed length
            {'cron':'TZ=Asia/Tokyo 0 0 * * *','zone':'UTC'} | /zone | given twice, as UTC here and as Asia/Tokyo
            """)
    void a_bad_schedule_is_refused_at_the_member_at_fault(String json, String pointer, String message)
            throws JsonProcessingException {
        var node = new ObjectMapper().readTree(json.replace('\'', '"'));
        ScheduleException e = assertThrows(ScheduleException.class, () -> Schedules.parse(node, OPEN, "app/name"));
        assertEquals(pointer, e.pointer(), e.getMessage());
        assertTrue(e.getMessage().contains(message), e.getMessage());
    }

    @Test
    void an_unknown_zone_is_answered_with_the_nearest_one() {
        assertEquals("Europe/Berlin", nearest("Europe/Belin"));
        assertEquals("Europe/Berlin", nearest("berlin"));
        assertEquals("America/New_York", nearest("new york"));
        assertEquals("America/Sao_Paulo", nearest("America/São_Paulo"));
        assertEquals("UTC", nearest("utc"));
        assertEquals("America/New_York", nearest("Amercia/New_York"));
        assertEquals("America/New_York", nearest("America/NewYork"));
        assertEquals("Europe/Berlin", nearest("Europe/Brelin"));
        assertEquals("America/Los_Angeles", nearest("PST"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "EDT", "Local", "Europe/Munich", "../../etc/passwd", "Mars/Olympus_Mons"})
    void a_name_near_no_zone_gets_no_suggestion(String zone) {
        assertEquals("none", nearest(zone));
    }

    @Test
    void a_zone_given_twice_is_taken_if_both_mean_the_same() {
        assertFires(schedule("cron", "TZ=UTC 0 0 * * *", "zone", "Z"), "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
    }

    @Test
    void an_instant_fires_once_whatever_the_start() {
        Schedule schedule = schedule(OPEN, "at", "2025-06-01T02:00:00.250+02:00");
        assertEquals(at("2025-06-01T00:00:00.250Z"), schedule.next(Long.MIN_VALUE));
        assertEquals(Schedule.NEVER, schedule.next(at("2025-06-01T00:00:00.250Z")));
        assertEquals(at("2025-06-01T00:00:00.250Z"), schedule.previous(Schedule.NEVER));
        assertEquals(Schedule.NONE_BEFORE, schedule.previous(at("2025-06-01T00:00:00.250Z")));
        assertEquals("once, at 2025-06-01T00:00:00.250Z", schedule.description());
    }

    @Test
    void a_delay_counts_from_the_start_of_the_window() {
        assertEquals(List.of("2026-01-03T00:00:00Z"), fires(schedule(OPEN, "in", "PT48H"), "2026-01-01T00:00:00Z", 9));
        assertEquals(List.of("2026-01-01T00:00:00Z"), fires(schedule(OPEN, "in", "PT0S"), "2025-01-01T00:00:00Z", 9));
    }

    @Test
    void an_instant_after_the_end_is_refused_and_one_at_the_end_is_not() {
        Window window = new Window(at("2026-01-01T00:00:00Z"), at("2026-02-01T00:00:00Z"));
        assertEquals(
                1,
                fires(schedule(window, "at", "2026-02-01T00:00:00Z"), "2026-01-01T00:00:00Z", 9)
                        .size());
        ScheduleException e =
                assertThrows(ScheduleException.class, () -> schedule(window, "at", "2026-02-01T00:00:00.001Z"));
        assertTrue(e.getMessage().contains("is after its end, 2026-02-01T00:00:00Z"), e.getMessage());
        assertThrows(ScheduleException.class, () -> schedule(window, "in", "P40D"));
    }

    @Test
    void an_instant_put_off_by_hand_counts_once_and_one_moved_forward_counts_besides() {
        Schedule schedule = schedule(OPEN, "at", "2026-02-01T00:00:00Z");
        long planned = at("2026-02-01T00:00:00Z");
        assertEquals(new Overdue(planned, planned, 1, true), schedule.overdue(planned, planned, 1));
        assertEquals(new Overdue(planned + 5, planned + 5, 1, true), schedule.overdue(planned + 5, planned + 9, 1));
        assertEquals(new Overdue(planned - 5, planned, 2, true), schedule.overdue(planned - 5, planned + 9, 1));
    }

    @Test
    void cron_fires_only_inside_its_window_both_ends_included() {
        Schedule schedule =
                schedule(new Window(at("2026-01-01T00:00:00Z"), at("2026-01-03T00:00:00Z")), "cron", "@daily");
        assertEquals(
                List.of("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"),
                fires(schedule, "2020-01-01T00:00:00Z", 9));
        assertEquals(at("2026-01-03T00:00:00Z"), schedule.previous(Schedule.NEVER));
        assertEquals(Schedule.NONE_BEFORE, schedule.previous(at("2026-01-01T00:00:00Z")));
        assertEquals(Schedule.NEVER, schedule.next(Schedule.NEVER));
        assertEquals(at("2026-01-01T00:00:00Z"), schedule.next(Schedule.NONE_BEFORE));
        assertEquals(Schedule.NONE_BEFORE, schedule.previous(Schedule.NONE_BEFORE));
    }

    @Test
    void a_window_that_opens_or_closes_within_a_second_fires_at_none_outside_it() {
        Schedule schedule = schedule(
                new Window(at("2026-01-01T00:00:00.001Z"), at("2026-01-01T00:00:02.999Z")), "cron", "* * * * * *");
        assertEquals(
                List.of("2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z"), fires(schedule, "2020-01-01T00:00:00Z", 9));
        assertEquals(at("2026-01-01T00:00:01Z"), schedule.previous(at("2026-01-01T00:00:02Z")));
        assertEquals(Schedule.NONE_BEFORE, schedule.previous(at("2026-01-01T00:00:01Z")));
    }

    @Test
    void overdue_fires_of_cron_are_counted_up_to_the_limit_and_the_newest_is_known_anyway() {
        Schedule hourly = schedule(OPEN, "cron", "@hourly");
        long first = at("2026-01-01T00:00:00Z");
        long until = at("2026-01-02T00:30:00Z");
        long newest = at("2026-01-02T00:00:00Z");
        assertEquals(new Overdue(first, newest, 25, true), hourly.overdue(first, until, 25));
        assertEquals(new Overdue(first, newest, 24, false), hourly.overdue(first, until, 24));
        assertEquals(new Overdue(first + 1, newest, 25, true), hourly.overdue(first + 1, until, 100));
        assertEquals(new Overdue(first, first, 1, true), hourly.overdue(first, first, 1));
    }

    @Test
    void a_start_outside_the_years_it_reckons_with_is_refused() {
        for (long start : new long[] {Long.MIN_VALUE, -1, Window.LATEST + 1, Long.MAX_VALUE}) {
            assertThrows(
                    ScheduleException.class,
                    () -> Schedules.parse(json("every", "PT5S"), Window.from(start), "app/name"));
        }
    }

    @Test
    void a_description_names_the_zone() {
        assertEquals("at 02:30, UTC", schedule("cron", "30 2 * * *").description());
        assertEquals(
                "at 02:30, Europe/Berlin",
                schedule("cron", "TZ=Europe/Berlin 30 2 * * *").description());
    }

    private static String nearest(String zone) {
        String message = assertThrows(ScheduleException.class, () -> schedule("cron", "@daily", "zone", zone))
                .getMessage();
        assertTrue(message.contains("is not a time zone; "), message);
        int hint = message.indexOf("did you mean \"");
        return hint < 0 ? "none" : message.substring(hint + 14, message.length() - 2);
    }
}
