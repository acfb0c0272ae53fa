package io.twinbell.node.schedule;

import static io.twinbell.node.schedule.ScheduleFixtures.at;
import static io.twinbell.node.schedule.ScheduleFixtures.fires;
import static io.twinbell.node.schedule.ScheduleFixtures.schedule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.schedule.text.ScheduleException;
import io.twinbell.persistence.testing.RandomCases;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Fire times that move to the next or previous day that the calendars allow. */
class MovedScheduleTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final Window WINDOW = Window.from(0);

    private final long seed = RandomCases.seed(MovedScheduleTest.class);
    private final Random random = new Random(seed);

    private static BusinessCalendar closed(String... dates) {
        return calendar(days(dates), new TimeRanges.Collector());
    }

    private static TimeRanges.Collector days(String... dates) {
        TimeRanges.Collector days = new TimeRanges.Collector();
        for (String date : dates) {
            long day = LocalDate.parse(date).toEpochDay() * BusinessCalendar.DAY;
            days.add(day, day + BusinessCalendar.DAY);
        }
        return days;
    }

    private static BusinessCalendar calendar(TimeRanges.Collector days, TimeRanges.Collector week) {
        return new BusinessCalendar(
                "closed",
                1,
                BusinessCalendar.Mode.EXCLUDE,
                BERLIN,
                new BusinessCalendar.Times(days.merged(), week.merged(), TimeRanges.NONE));
    }

    private static BusinessCalendar weekends() {
        return calendar(
                new TimeRanges.Collector(),
                new TimeRanges.Collector().add(5 * BusinessCalendar.DAY, 7 * BusinessCalendar.DAY));
    }

    private static Schedule moved(OnExcluded onExcluded, Schedule schedule, BusinessCalendar... calendars) {
        return CalendarSchedule.of(schedule, List.of(calendars), onExcluded, WINDOW);
    }

    private static Schedule inBerlin(String cron) {
        return schedule("cron", cron, "zone", "Europe/Berlin");
    }

    @Test
    void a_weekly_slot_moves_past_the_holiday_at_the_same_local_time() {
        Schedule mondays = inBerlin("0 9 * * MON");
        BusinessCalendar easter = closed("2026-04-03", "2026-04-06");
        Schedule next = moved(OnExcluded.NEXT, mondays, weekends(), easter);
        assertEquals(
                List.of("2026-03-30T07:00:00Z", "2026-04-07T07:00:00Z", "2026-04-13T07:00:00Z"),
                fires(next, "2026-03-29T00:00:00Z", 3));
        Schedule previous = moved(OnExcluded.PREVIOUS, mondays, weekends(), easter);
        assertEquals(
                List.of("2026-03-30T07:00:00Z", "2026-04-02T07:00:00Z", "2026-04-13T07:00:00Z"),
                fires(previous, "2026-03-29T00:00:00Z", 3));
        assertEquals(at("2026-04-02T07:00:00Z"), previous.previous(at("2026-04-13T07:00:00Z")));
        assertEquals(at("2026-04-07T07:00:00Z"), next.movedTo(at("2026-04-06T07:00:00Z")));
        assertEquals(Schedule.NEVER, next.movedTo(at("2026-04-13T07:00:00Z")));
    }

    @Test
    void slots_that_move_to_one_day_become_one() {
        Schedule daily = moved(OnExcluded.NEXT, inBerlin("0 9,17 * * *"), weekends());
        assertEquals(
                List.of(
                        "2026-11-20T08:00:00Z",
                        "2026-11-20T16:00:00Z",
                        "2026-11-23T08:00:00Z",
                        "2026-11-23T16:00:00Z",
                        "2026-11-24T08:00:00Z"),
                fires(daily, "2026-11-19T23:00:00Z", 5));
        assertEquals(
                new Overdue(at("2026-11-20T08:00:00Z"), at("2026-11-24T08:00:00Z"), 5, true),
                daily.overdue(at("2026-11-20T08:00:00Z"), at("2026-11-24T08:00:00Z"), 100));
    }

    @Test
    void a_slot_moves_by_a_month_at_most() {
        String[] december = LocalDate.parse("2026-12-01")
                .datesUntil(LocalDate.parse("2027-01-05"))
                .map(LocalDate::toString)
                .toArray(String[]::new);
        Schedule monthly = moved(OnExcluded.NEXT, inBerlin("0 9 1,10 * *"), closed(december));
        assertEquals(
                List.of("2026-11-10T08:00:00Z", "2027-01-05T08:00:00Z", "2027-01-10T08:00:00Z"),
                fires(monthly, "2026-11-05T00:00:00Z", 3));
        assertEquals(Schedule.NEVER, monthly.movedTo(at("2026-12-01T08:00:00Z")));
    }

    /** The evening of the day before a closure is closed as well: times of the evening have nowhere to go, others do. */
    @Test
    void times_that_cannot_move_do_not_hide_others_of_the_same_closure() {
        String[] closure = LocalDate.parse("2026-07-06")
                .datesUntil(LocalDate.parse("2026-09-18"))
                .map(LocalDate::toString)
                .toArray(String[]::new);
        TimeRanges.Collector evenings = new TimeRanges.Collector();
        for (int day = 0; day < 7; day++) {
            evenings.add(day * BusinessCalendar.DAY + 18 * 3600, (day + 1) * BusinessCalendar.DAY);
        }
        Schedule inner = inBerlin("0 9,20 * * SAT");
        BusinessCalendar calendar = calendar(days(closure), evenings);
        Schedule next = moved(OnExcluded.NEXT, inner, calendar);
        assertEquals(at("2026-09-18T07:00:00Z"), next.next(at("2026-07-05T00:00:00Z")));
        assertEquals(at("2026-09-18T07:00:00Z"), next.previous(at("2026-09-19T07:00:00Z")));
        Schedule previous = moved(OnExcluded.PREVIOUS, inner, calendar);
        assertEquals(at("2026-07-05T07:00:00Z"), previous.next(at("2026-07-04T07:00:00Z")));
        assertEquals(at("2026-07-05T07:00:00Z"), previous.previous(at("2026-09-18T00:00:00Z")));
    }

    @Test
    void a_moved_time_in_a_gap_is_right_after_it() {
        Schedule saturdays = moved(OnExcluded.NEXT, inBerlin("30 2 * * SAT"), closed("2026-03-28"));
        assertEquals(List.of("2026-03-29T01:00:00Z"), fires(saturdays, "2026-03-27T00:00:00Z", 1));
    }

    @Test
    void a_slot_that_other_calendars_would_move_is_not_taken_for_one_set_by_hand() {
        Schedule mondays = moved(OnExcluded.NEXT, inBerlin("0 9 * * MON"), weekends());
        assertTrue(mondays.mayFireAt(at("2026-04-07T07:00:00Z")));
        assertFalse(mondays.mayFireAt(at("2026-04-07T08:00:00Z")));
    }

    @Test
    void intervals_and_many_times_a_day_are_refused_and_the_words_say_where_slots_go() {
        for (Schedule schedule : List.of(schedule("every", "PT1H"), inBerlin("*/5 * * * *"))) {
            ScheduleException e =
                    assertThrows(ScheduleException.class, () -> moved(OnExcluded.NEXT, schedule, weekends()));
            assertTrue(e.getMessage().contains("requires a schedule with cron or rrule"), e.getMessage());
        }
        assertEquals(
                "at 02:30, Europe/Berlin, when the calendar closed allows it, otherwise on the previous day that it allows",
                moved(OnExcluded.PREVIOUS, inBerlin("30 2 * * *"), weekends()).description());
    }

    /** Times are in the daytime, so that a clock change does not touch them. */
    @Test
    void random_schedules_fire_where_a_walk_over_all_slots_moves_them() {
        for (int i = 0; i < RandomCases.count(150, 3_000); i++) {
            compare(random.nextBoolean() ? OnExcluded.NEXT : OnExcluded.PREVIOUS);
        }
    }

    private void compare(OnExcluded onExcluded) {
        Window window = new Window(at("2026-01-01T00:00:00Z"), at("2026-12-31T00:00:00Z"));
        TimeRanges.Collector days = new TimeRanges.Collector();
        TimeRanges.Collector week = new TimeRanges.Collector();
        for (int i = random.nextInt(8); i >= 0; i--) {
            long day = LocalDate.parse("2025-12-20").toEpochDay() + random.nextInt(380);
            days.add(day * BusinessCalendar.DAY, (day + 1 + random.nextInt(40)) * BusinessCalendar.DAY);
        }
        for (int i = random.nextInt(5); i > 0; i--) {
            long from = random.nextInt(7) * BusinessCalendar.DAY + random.nextInt(24) * 3600L;
            week.add(from, Math.min(BusinessCalendar.WEEK, from + 3600L * (1 + random.nextInt(40))));
        }
        BusinessCalendar calendar = calendar(days, week);
        String cron = List.of("0 9 * * *", "0 6,12,20 * * *", "30 11 * * MON,THU", "0 8 1,15 * *", "0 7-20 * * SAT")
                .get(random.nextInt(5));
        Schedule inner = schedule(window, "cron", cron, "zone", "Europe/Berlin");
        Schedule schedule = CalendarSchedule.of(inner, List.of(calendar), onExcluded, window);
        TreeSet<Long> expected = new TreeSet<>();
        for (long fire = inner.next(0); fire != Schedule.NEVER; fire = inner.next(fire)) {
            ZonedDateTime time = Instant.ofEpochMilli(fire).atZone(BERLIN);
            for (int day = 0; day <= 31; day++) {
                ZonedDateTime to = onExcluded == OnExcluded.NEXT ? time.plusDays(day) : time.minusDays(day);
                long millis = to.toInstant().toEpochMilli();
                if (millis >= window.startMillis() && millis <= window.endMillis() && calendar.allows(millis)) {
                    expected.add(millis);
                    break;
                }
            }
        }
        String context = "seed " + seed + ", " + schedule.description();
        List<Long> forwards = new ArrayList<>();
        for (long fire = schedule.next(0); fire != Schedule.NEVER; fire = schedule.next(fire)) {
            forwards.add(fire);
            assertTrue(schedule.mayFireAt(fire), context);
        }
        assertEquals(List.copyOf(expected), forwards, context);
        List<Long> backwards = new ArrayList<>();
        for (long fire = schedule.previous(Schedule.NEVER);
                fire != Schedule.NONE_BEFORE;
                fire = schedule.previous(fire)) {
            backwards.add(0, fire);
        }
        assertEquals(List.copyOf(expected), backwards, context);
        for (int i = 0; i < 50; i++) {
            long at = window.startMillis() + (long) (random.nextDouble() * (window.endMillis() - window.startMillis()));
            Long after = expected.higher(at);
            assertEquals(after == null ? Schedule.NEVER : after, schedule.next(at), context);
        }
    }
}
