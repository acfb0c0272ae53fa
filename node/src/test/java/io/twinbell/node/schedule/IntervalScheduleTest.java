package io.twinbell.node.schedule;

import static io.twinbell.node.schedule.ScheduleFixtures.at;
import static io.twinbell.node.schedule.ScheduleFixtures.schedule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IntervalScheduleTest {
    private static final long START = at("2026-01-01T00:00:00.007Z");

    private final Schedule rate = schedule(Window.from(START), "every", "PT5S");
    private final FixedDelay delay =
            assertInstanceOf(FixedDelay.class, schedule(Window.from(START), "every", "PT5S", "mode", "FIXED_DELAY"));

    @Test
    void a_fixed_rate_fires_first_at_the_start_and_then_on_the_grid() {
        assertEquals(START, rate.next(Long.MIN_VALUE));
        assertEquals(START, rate.next(START - 1));
        assertEquals(START + 5000, rate.next(START));
        assertEquals(START + 5000, rate.next(START + 4999));
        assertEquals(START + 10_000, rate.next(START + 5000));
    }

    @Test
    void a_fixed_rate_looks_back_along_the_grid_to_the_start() {
        assertEquals(START + 5000, rate.previous(START + 5001));
        assertEquals(START, rate.previous(START + 5000));
        assertEquals(Schedule.NONE_BEFORE, rate.previous(START));
        assertEquals(Schedule.NONE_BEFORE, rate.previous(Long.MIN_VALUE));
    }

    @Test
    void a_fixed_rate_ends_with_its_window_and_a_fire_at_the_end_still_happens() {
        Schedule windowed = schedule(new Window(START, START + 10_000), "every", "PT5S");
        assertEquals(START + 10_000, windowed.next(START + 5000));
        assertEquals(Schedule.NEVER, windowed.next(START + 10_000));
        assertEquals(START + 10_000, windowed.previous(Schedule.NEVER));
        Schedule shorter = schedule(new Window(START, START + 9_999), "every", "PT5S");
        assertEquals(Schedule.NEVER, shorter.next(START + 5000));
        assertEquals(START + 5000, shorter.previous(Schedule.NEVER));
    }

    @Test
    void the_longest_interval_never_overflows() {
        Schedule schedule = schedule(Window.from(START), "every", "P3653D");
        long fire = START;
        int count = 1;
        for (long next = schedule.next(fire); next != Schedule.NEVER; next = schedule.next(next)) {
            assertTrue(next > fire && next <= Window.LATEST);
            fire = next;
            count++;
        }
        assertEquals(18, count);
        assertEquals(fire, schedule.previous(Schedule.NEVER));
        assertEquals(Schedule.NEVER, schedule.next(Schedule.NEVER));
    }

    @Test
    void overdue_fires_of_a_rate_are_counted_without_a_limit() {
        Schedule fast = schedule(Window.from(START), "every", "10ms");
        long day = START + 86_400_000;
        assertEquals(new Overdue(START, day, 8_640_001, true), fast.overdue(START, day, 1));
        assertEquals(new Overdue(START, day, 8_640_001, true), fast.overdue(START, day + 9, 1));
    }

    @Test
    void an_overdue_fire_off_the_grid_counts_besides_the_grid() {
        assertEquals(new Overdue(START + 1, START + 5000, 2, true), rate.overdue(START + 1, START + 5000, 1));
        assertEquals(new Overdue(START + 1, START + 1, 1, true), rate.overdue(START + 1, START + 4999, 1));
        assertEquals(new Overdue(START - 1, START, 2, true), rate.overdue(START - 1, START, 1));
    }

    @Test
    void nothing_is_overdue_before_the_first_fire() {
        assertEquals(new Overdue(START, START, 0, true), rate.overdue(START, START - 1, 1));
        assertEquals(0, delay.overdue(START, START - 1, 1).count());
        assertEquals(0, schedule("cron", "@daily").overdue(START, START - 1, 1).count());
        assertEquals(
                0,
                schedule("at", "2026-01-01T00:00:00Z")
                        .overdue(START, START - 1, 1)
                        .count());
    }

    @Test
    void a_fixed_delay_fires_at_the_start_and_then_after_each_run() {
        assertTrue(delay.followsTheRun());
        assertFalse(rate.followsTheRun());
        assertEquals(START, delay.next(START - 1));
        assertEquals(START + 5000, delay.next(START));
        assertEquals(START + 6234, delay.next(START + 1234));
        assertEquals(START + 6234, delay.afterRun(START + 1234));
    }

    @Test
    void a_fixed_delay_knows_only_its_start_for_sure() {
        assertEquals(START, delay.previous(START + 100_000));
        assertEquals(Schedule.NONE_BEFORE, delay.previous(START));
        assertEquals(new Overdue(START, START, 1, true), delay.overdue(START, START + 100_000, 9));
    }

    @Test
    void a_fixed_delay_ends_with_its_window() {
        FixedDelay windowed = new FixedDelay(5000, new Window(START, START + 10_000));
        assertEquals(START + 10_000, windowed.afterRun(START + 5000));
        assertEquals(Schedule.NEVER, windowed.afterRun(START + 5001));
        assertEquals(Schedule.NEVER, windowed.afterRun(Long.MAX_VALUE));
        assertEquals(Schedule.NEVER, windowed.next(START + 5001));
    }

    @Test
    void a_window_that_ends_before_it_starts_is_refused() {
        Window backwards = new Window(START, START - 1);
        for (String mode : new String[] {"FIXED_RATE", "FIXED_DELAY"}) {
            ScheduleException e =
                    assertThrows(ScheduleException.class, () -> schedule(backwards, "every", "PT5S", "mode", mode));
            assertTrue(e.getMessage().startsWith("the schedule never fires between its start"), e.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "2026-01-01T10:20:00Z, PT15M, PT1H, AT_START, 2026-01-01T11:00:00Z",
        "2026-01-01T11:00:00Z, PT15M, PT1H, AT_START, 2026-01-01T11:00:00Z",
        "2026-01-01T11:00:00.001Z, PT15M, PT1H, AT_START, 2026-01-01T12:00:00Z",
        "2026-01-01T10:20:00Z, PT5M, PT1H, AFTER_INTERVAL, 2026-01-01T11:00:00Z",
        "2026-01-01T10:20:00Z, PT2H, PT1H, AFTER_INTERVAL, 2026-01-01T13:00:00Z",
        "2026-01-01T10:20:00Z, 1h, 24h, AT_START, 2026-01-02T00:00:00Z",
        "1970-01-01T00:00:00Z, PT1H, PT7H, AT_START, 1970-01-01T00:00:00Z",
    })
    void an_aligned_interval_fires_first_at_a_multiple_in_utc(
            String start, String every, String align, String first, String fires) {
        for (String mode : new String[] {"FIXED_RATE", "FIXED_DELAY"}) {
            Schedule aligned =
                    schedule(Window.from(at(start)), "every", every, "mode", mode, "align", align, "first", first);
            assertEquals(at(fires), aligned.next(at(start) - 1), mode);
        }
        Schedule rate = schedule(Window.from(at(start)), "every", every, "align", align, "first", first);
        assertEquals(Schedule.NONE_BEFORE, rate.previous(at(fires)));
        assertEquals(new Overdue(at(fires), at(fires), 1, true), rate.overdue(at(fires), at(fires) + 9, 5));
    }

    @Test
    void the_first_fire_time_may_be_one_interval_after_the_start() {
        Schedule later = schedule(Window.from(START), "every", "PT5S", "first", "AFTER_INTERVAL");
        assertEquals(START + 5000, later.next(Long.MIN_VALUE));
        assertEquals(START + 10_000, later.next(START + 5000));
        Schedule delayed =
                schedule(Window.from(START), "every", "PT5S", "mode", "FIXED_DELAY", "first", "AFTER_INTERVAL");
        assertEquals(START + 5000, delayed.next(START));
        assertEquals(START + 10_007, delayed.afterRun(START + 5007));
    }

    @Test
    void a_first_fire_time_that_is_moved_beyond_the_end_is_refused() {
        Window hour = new Window(START, START + 3_599_000);
        ScheduleException e =
                assertThrows(ScheduleException.class, () -> schedule(hour, "every", "PT5S", "align", "P1D"));
        assertTrue(e.getMessage().startsWith("the schedule never fires between its start"), e.getMessage());
        assertThrows(ScheduleException.class, () -> schedule(hour, "every", "PT1H", "first", "AFTER_INTERVAL"));
    }

    @Test
    void looking_back_without_a_start_an_aligned_grid_has_no_beginning() {
        Schedule everlasting = Schedules.parseEverlasting(
                ScheduleFixtures.json("every", "PT15M", "align", "PT1H"),
                Window.from(at("2026-01-01T10:20:00Z")),
                "a/b");
        assertEquals(at("2026-01-01T10:15:00Z"), everlasting.previous(at("2026-01-01T10:20:00Z")));
    }

    @ParameterizedTest
    @CsvSource({
        "PT5S, 5000, every 5 seconds",
        "PT0.01S, 10, every 10 milliseconds",
        "pt1h30m, 5400000, every 1 hour 30 minutes",
        "P1D, 86400000, every 1 day",
        "P7D, 604800000, every 7 days",
        "P1W, 604800000, every 7 days",
        "P1DT12H, 129600000, every 1 day 12 hours",
        "'PT0,5S', 500, every 500 milliseconds",
        "P3653D, 315619200000, every 3653 days",
        "1h30m, 5400000, every 1 hour 30 minutes",
        "250ms, 250, every 250 milliseconds",
        "1.5s, 1500, every 1 second 500 milliseconds",
        "90m, 5400000, every 1 hour 30 minutes",
    })
    void durations_are_read_in_both_notations(String text, long millis, String description) {
        Schedule schedule = schedule(Window.from(START), "every", text);
        assertEquals(START + millis, schedule.next(START));
        assertEquals(description, schedule.description());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "5",
                "PT",
                "P",
                "PT5",
                "-PT5S",
                "PT-5S",
                "-5s",
                "5 s",
                "5x",
                "1h-30m",
                "s",
                "1..5s",
                "P5S",
                "PT0S",
                "PT0.009S",
                "9ms",
                "P3654D",
                "PT0.0105S",
                "1.0005s",
                "P99999999999999999999D",
                "1e9s",
                "NaN",
                "999999999999999999h",
                "PT9223372036854775807S",
                "1us",
                "5d"
            })
    void a_bad_or_excessive_duration_is_refused(String text) {
        ScheduleException e = assertThrows(ScheduleException.class, () -> schedule("every", text));
        assertEquals("/every", e.pointer());
        assertTrue(e.getMessage().contains("is not allowed here"), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"P1M", "P1Y", "P1Y2M3D", "p6m", "P1M1DT1H"})
    void years_and_months_are_refused_with_a_way_out(String text) {
        ScheduleException e = assertThrows(ScheduleException.class, () -> schedule("every", text));
        assertTrue(e.getMessage().contains("use days (P30D) or a cron expression"), e.getMessage());
        assertTrue(e.getMessage().contains("PT5M"), e.getMessage());
    }
}
