package io.twinbell.node.schedule;

import static io.twinbell.node.schedule.ScheduleFixtures.assertFires;
import static io.twinbell.node.schedule.ScheduleFixtures.at;
import static io.twinbell.node.schedule.ScheduleFixtures.schedule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CalendarScheduleTest {
    private static final Window WINDOW = Window.from(0);

    /** Saturdays and Sundays. */
    private final BusinessCalendar weekends = weekly(BusinessCalendar.Mode.EXCLUDE, 5 * 24, 7 * 24);

    /** Monday, 08:00 to 18:00. */
    private final BusinessCalendar mondays = weekly(BusinessCalendar.Mode.ALLOW, 8, 18);

    @Test
    void a_schedule_without_calendars_is_itself() {
        Schedule schedule = ScheduleFixtures.cron("0 3 * * *");
        assertSame(schedule, CalendarSchedule.of(schedule, List.of(), WINDOW));
    }

    @Test
    void an_excluded_instant_is_no_fire_time() {
        Schedule nightly = of(ScheduleFixtures.cron("0 3 * * *"), weekends);
        assertFires(nightly, "2026-11-19T12:00:00Z", "2026-11-20T03:00:00Z", "2026-11-23T03:00:00Z");
        assertEquals(at("2026-11-20T03:00:00Z"), nightly.previous(at("2026-11-23T03:00:00Z")));
        assertFalse(nightly.allows(at("2026-11-21T03:00:00Z")));
    }

    @Test
    void a_fire_time_must_be_let_through_by_all() {
        Schedule hourly = of(ScheduleFixtures.cron("0 * * * *"), mondays, day("2026-11-23"));
        assertFires(hourly, "2026-11-20T00:00:00Z", "2026-11-30T08:00:00Z");
    }

    @Test
    void ten_millisecond_ticks_are_not_walked_through_a_weekend() {
        Schedule ticks = of(schedule("every", "PT0.01S"), weekends);
        long friday = at("2026-11-20T23:59:59.990Z");
        assertEquals(at("2026-11-23T00:00:00Z"), ticks.next(friday));
        assertEquals(friday, ticks.previous(at("2026-11-23T00:00:00Z")));
        Overdue overdue = ticks.overdue(friday, at("2026-11-30T00:00:00Z"), 100);
        assertEquals(new Overdue(friday, at("2026-11-30T00:00:00Z"), 1 + 5L * 24 * 360_000 + 1, true), overdue);
    }

    @Test
    void an_interval_keeps_its_grid() {
        Schedule every = of(schedule(Window.from(at("2026-11-20T00:07:00Z")), "every", "PT50M"), weekends);
        long monday = every.next(at("2026-11-21T00:00:00Z"));
        assertEquals(0, (monday - at("2026-11-20T00:07:00Z")) % (50 * 60_000));
        assertTrue(monday >= at("2026-11-23T00:00:00Z") && monday < at("2026-11-23T00:50:00Z"));
    }

    @Test
    void a_fixed_delay_task_waits_for_the_first_allowed_instant() {
        Schedule delay = of(schedule("every", "PT1H", "mode", "FIXED_DELAY"), weekends);
        assertTrue(delay.followsTheRun());
        assertEquals(at("2026-11-20T13:00:00Z"), delay.afterRun(at("2026-11-20T12:00:00Z")));
        assertEquals(at("2026-11-23T00:00:00Z"), delay.afterRun(at("2026-11-20T23:30:00Z")));
    }

    @Test
    void a_fixed_delay_task_starts_when_its_calendar_allows() {
        Window onSaturday = Window.from(at("2026-11-21T10:00:00Z"));
        Schedule delay = CalendarSchedule.of(
                schedule(onSaturday, "every", "PT1H", "mode", "FIXED_DELAY"), List.of(weekends), onSaturday);
        assertEquals(at("2026-11-23T00:00:00Z"), delay.next(at("2026-11-20T00:00:00Z")));
        assertEquals(at("2026-11-23T00:00:00Z"), delay.previous(at("2026-11-24T00:00:00Z")));
        assertEquals(Schedule.NONE_BEFORE, delay.previous(at("2026-11-22T00:00:00Z")));
    }

    @Test
    void a_single_instant_is_let_through_or_never_fires() {
        assertEquals(
                Schedule.NEVER,
                of(schedule("at", "2026-11-21T10:00:00Z"), weekends).next(0));
        assertEquals(
                at("2026-11-20T10:00:00Z"),
                of(schedule("at", "2026-11-20T10:00:00Z"), weekends).next(0));
    }

    @Test
    void the_window_closes_before_what_is_only_let_through_later() {
        Window untilSunday = new Window(at("2026-11-21T00:00:00Z"), at("2026-11-22T12:00:00Z"));
        for (String mode : new String[] {"FIXED_RATE", "FIXED_DELAY"}) {
            Schedule hourly = CalendarSchedule.of(
                    schedule(untilSunday, "every", "PT1H", "mode", mode), List.of(weekends), untilSunday);
            assertEquals(Schedule.NEVER, hourly.next(at("2026-11-21T00:00:00Z") - 1), mode);
        }
    }

    @Test
    void calendars_that_never_agree_let_nothing_through_after_a_bounded_walk() {
        BusinessCalendar mornings = weekly(BusinessCalendar.Mode.ALLOW, 8, 12);
        BusinessCalendar evenings = weekly(BusinessCalendar.Mode.ALLOW, 18, 20);
        assertEquals(
                Schedule.NEVER,
                of(ScheduleFixtures.cron("* * * * *"), mornings, evenings).next(0));
        assertEquals(
                Schedule.NEVER,
                of(schedule("every", "PT0.01S"), mornings, evenings).next(0));
        assertEquals(
                Schedule.NONE_BEFORE,
                of(ScheduleFixtures.cron("* * * * *"), mornings, evenings).previous(Window.LATEST));
        Schedule delay = of(schedule("every", "PT1S", "mode", "FIXED_DELAY"), mornings, evenings);
        assertEquals(Schedule.NEVER, delay.afterRun(at("2026-01-01T00:00:00Z")));
    }

    @Test
    void a_calendar_of_the_past_lets_nothing_more_through() {
        BusinessCalendar past =
                new BusinessCalendar("past", 1, BusinessCalendar.Mode.ALLOW, ZoneId.of("UTC"), days("2020-01-01"));
        assertEquals(
                Schedule.NEVER, of(ScheduleFixtures.cron("0 3 * * *"), past).next(at("2026-01-01T00:00:00Z")));
    }

    @Test
    void hours_are_those_of_the_calendars_wall_clock() {
        TimeRanges.Collector night = new TimeRanges.Collector().add(6 * 86_400 + 2 * 3600, 6 * 86_400 + 3 * 3600);
        BusinessCalendar sundaysAtTwo = new BusinessCalendar(
                "night",
                1,
                BusinessCalendar.Mode.EXCLUDE,
                ZoneId.of("Europe/Berlin"),
                new BusinessCalendar.Times(TimeRanges.NONE, night.merged(), TimeRanges.NONE));
        Schedule hourly = of(schedule("every", "PT1H"), sundaysAtTwo);
        // 02:00 to 03:00 does not exist on 29 March, and comes twice on 25 October.
        assertFires(hourly, "2026-03-28T23:59:59Z", "2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z");
        assertFires(hourly, "2026-10-24T22:59:59Z", "2026-10-24T23:00:00Z", "2026-10-25T02:00:00Z");
    }

    @Test
    void excluded_spans_are_cut_at_both_ends_and_are_no_more_than_asked_for() {
        long saturday = at("2026-11-21T12:00:00Z");
        long secondSunday = at("2026-11-29T06:00:00Z");
        assertEquals(
                List.of(
                        new BusinessCalendar.Span(saturday, at("2026-11-23T00:00:00Z")),
                        new BusinessCalendar.Span(at("2026-11-28T00:00:00Z"), secondSunday)),
                weekends.excluded(saturday, secondSunday, 9));
        assertEquals(1, weekends.excluded(saturday, secondSunday, 1).size());
        assertEquals(List.of(), weekends.excluded(at("2026-11-23T00:00:00Z"), at("2026-11-28T00:00:00Z"), 9));
    }

    @Test
    void outside_the_times_of_an_allowing_calendar_everything_is_excluded() {
        long from = at("2026-11-23T00:00:00Z");
        long until = at("2026-11-24T00:00:00Z");
        assertEquals(
                List.of(
                        new BusinessCalendar.Span(from, at("2026-11-23T08:00:00Z")),
                        new BusinessCalendar.Span(at("2026-11-23T18:00:00Z"), until)),
                mondays.excluded(from, until, 9));
    }

    @Test
    void says_which_calendars_it_respects() {
        Schedule schedule = of(ScheduleFixtures.schedule("every", "PT1H"), weekends, day("2026-12-25"));
        assertEquals("every 1 hour, when the calendars week and day allow it", schedule.description());
        assertEquals(Map.of("week", 1L, "day", 7L), schedule.calendars());
    }

    @Test
    void a_shifted_fire_time_is_marked_unless_it_is_excluded() {
        Schedule nightly = schedule("cron", "30 2 * * *", "zone", "Europe/Berlin");
        assertEquals(DstMark.SHIFTED, of(nightly, day("2026-12-25")).mark(at("2026-03-29T01:00:00Z")));
        assertEquals(DstMark.NONE, of(nightly, weekends).mark(at("2026-03-29T01:00:00Z")));
    }

    private static Schedule of(Schedule schedule, BusinessCalendar... calendars) {
        return CalendarSchedule.of(schedule, List.of(calendars), WINDOW);
    }

    private static BusinessCalendar weekly(BusinessCalendar.Mode mode, int fromHour, int untilHour) {
        TimeRanges.Collector week = new TimeRanges.Collector().add(fromHour * 3600L, untilHour * 3600L);
        return new BusinessCalendar(
                "week",
                1,
                mode,
                ZoneId.of("UTC"),
                new BusinessCalendar.Times(TimeRanges.NONE, week.merged(), TimeRanges.NONE));
    }

    private static BusinessCalendar day(String date) {
        return new BusinessCalendar("day", 7, BusinessCalendar.Mode.EXCLUDE, ZoneId.of("UTC"), days(date));
    }

    private static BusinessCalendar.Times days(String date) {
        long start = LocalDate.parse(date).toEpochDay() * BusinessCalendar.DAY;
        TimeRanges days = new TimeRanges.Collector()
                .add(start, start + BusinessCalendar.DAY)
                .merged();
        return new BusinessCalendar.Times(days, TimeRanges.NONE, TimeRanges.NONE);
    }
}
