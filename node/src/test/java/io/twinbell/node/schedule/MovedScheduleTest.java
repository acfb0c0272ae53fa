package io.twinbell.node.schedule;

import static io.twinbell.node.schedule.ScheduleFixtures.assertFires;
import static io.twinbell.node.schedule.ScheduleFixtures.at;
import static io.twinbell.node.schedule.ScheduleFixtures.schedule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.persistence.testing.RandomCases;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
        assertFires(
                next, "2026-03-29T00:00:00Z", "2026-03-30T07:00:00Z", "2026-04-07T07:00:00Z", "2026-04-13T07:00:00Z");
        Schedule previous = moved(OnExcluded.PREVIOUS, mondays, weekends(), easter);
        assertFires(
                previous,
                "2026-03-29T00:00:00Z",
                "2026-03-30T07:00:00Z",
                "2026-04-02T07:00:00Z",
                "2026-04-13T07:00:00Z");
        assertEquals(at("2026-04-02T07:00:00Z"), previous.previous(at("2026-04-13T07:00:00Z")));
        assertEquals(at("2026-04-07T07:00:00Z"), next.movedTo(at("2026-04-06T07:00:00Z")));
        assertEquals(Schedule.NEVER, next.movedTo(at("2026-04-13T07:00:00Z")));
    }

    @Test
    void slots_that_move_to_one_day_become_one() {
        Schedule daily = moved(OnExcluded.NEXT, inBerlin("0 9,17 * * *"), weekends());
        assertFires(
                daily,
                "2026-11-19T23:00:00Z",
                "2026-11-20T08:00:00Z",
                "2026-11-20T16:00:00Z",
                "2026-11-23T08:00:00Z",
                "2026-11-23T16:00:00Z",
                "2026-11-24T08:00:00Z");
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
        assertFires(
                monthly,
                "2026-11-05T00:00:00Z",
                "2026-11-10T08:00:00Z",
                "2027-01-05T08:00:00Z",
                "2027-01-10T08:00:00Z");
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
        assertFires(saturdays, "2026-03-27T00:00:00Z", "2026-03-29T01:00:00Z");
    }

    /** The clocks of Berlin skip 2:00 to 3:00 on 29 March 2026 and repeat it on 25 October. */
    @Test
    void a_slot_that_the_clocks_have_shifted_moves_by_its_own_local_time() {
        Schedule daily = moved(OnExcluded.NEXT, inBerlin("30 2 * * *"), closed("2026-03-29"));
        assertFires(
                daily, "2026-03-28T00:00:00Z", "2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z");
        Schedule sundays = moved(OnExcluded.PREVIOUS, inBerlin("0,30 2,3 * * SUN"), closed("2026-03-29"));
        assertFires(
                sundays,
                "2026-03-28T00:00:00Z",
                "2026-03-28T01:00:00Z",
                "2026-03-28T01:30:00Z",
                "2026-03-28T02:00:00Z",
                "2026-03-28T02:30:00Z",
                "2026-04-05T00:00:00Z");
        assertEquals(at("2026-03-28T01:00:00Z"), sundays.movedTo(at("2026-03-29T01:00:00Z")));
        assertTrue(sundays.mayFireAt(at("2026-03-28T01:30:00Z")));
        assertFalse(daily.mayFireAt(at("2026-03-30T01:00:00Z")), "3:00 is no time of the schedule");
    }

    @Test
    void a_slot_that_moves_into_a_clock_change_follows_the_rule_of_its_schedule() {
        BusinessCalendar saturdays = closed("2026-03-28", "2026-10-24");
        Schedule skip = schedule("cron", "30 2 * * SAT", "zone", "Europe/Berlin", "dstGap", "SKIP");
        assertFires(
                moved(OnExcluded.NEXT, skip, saturdays),
                "2026-03-27T00:00:00Z",
                "2026-03-30T00:30:00Z",
                "2026-04-04T00:30:00Z");
        assertEquals(
                at("2026-03-30T00:30:00Z"),
                moved(OnExcluded.NEXT, skip, saturdays).previous(at("2026-04-04T00:30:00Z")));
        Schedule twice = schedule("cron", "30 2 * * SAT", "zone", "Europe/Berlin", "dstOverlap", "TWICE");
        assertFires(
                moved(OnExcluded.NEXT, twice, saturdays),
                "2026-10-23T00:00:00Z",
                "2026-10-25T00:30:00Z",
                "2026-10-25T01:30:00Z",
                "2026-10-31T01:30:00Z");
        Schedule once = inBerlin("30 2 * * SAT");
        assertFires(
                moved(OnExcluded.NEXT, once, saturdays),
                "2026-10-23T00:00:00Z",
                "2026-10-25T00:30:00Z",
                "2026-10-31T01:30:00Z");
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

    /** All local times of 2026 near the clock changes, moved one by one on the wall clock. */
    @Test
    void random_schedules_near_clock_changes_fire_where_their_local_times_arrive() {
        for (int i = 0; i < RandomCases.count(150, 3_000); i++) {
            compareNearClockChanges(
                    random.nextBoolean() ? OnExcluded.NEXT : OnExcluded.PREVIOUS,
                    random.nextBoolean(),
                    random.nextBoolean());
        }
    }

    private void compareNearClockChanges(OnExcluded onExcluded, boolean shifts, boolean repeats) {
        ZoneId zone =
                ZoneId.of(List.of("Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "America/Scoresbysund")
                        .get(random.nextInt(4)));
        Window window = new Window(at("2026-01-01T00:00:00Z"), at("2026-12-31T00:00:00Z"));
        TimeRanges.Collector days = new TimeRanges.Collector();
        TimeRanges.Collector week = new TimeRanges.Collector();
        for (ZoneOffsetTransition change = zone.getRules().nextTransition(Instant.ofEpochMilli(window.startMillis()));
                change.getInstant().toEpochMilli() < window.endMillis();
                change = zone.getRules().nextTransition(change.getInstant())) {
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                long day = change.getDateTimeBefore().toLocalDate().toEpochDay() - 4 + random.nextInt(8);
                days.add(day * BusinessCalendar.DAY, (day + 1 + random.nextInt(3)) * BusinessCalendar.DAY);
            }
        }
        if (random.nextInt(3) == 0) {
            long from = random.nextInt(7) * BusinessCalendar.DAY + random.nextInt(4) * 1800L;
            week.add(from, from + 1800L * (1 + random.nextInt(4)));
        }
        BusinessCalendar calendar = new BusinessCalendar(
                "closed",
                1,
                BusinessCalendar.Mode.EXCLUDE,
                zone,
                new BusinessCalendar.Times(days.merged(), week.merged(), TimeRanges.NONE));
        List<Integer> hours =
                Stream.of(0, 1, 2, 3, 23).filter(hour -> random.nextInt(3) > 0).toList();
        if (hours.isEmpty()) {
            return;
        }
        List<Integer> minutes = List.of(List.of(0), List.of(30), List.of(0, 30), List.of(15, 45))
                .get(random.nextInt(4));
        Set<DayOfWeek> on = random.nextBoolean()
                ? EnumSet.allOf(DayOfWeek.class)
                : EnumSet.of(DayOfWeek.of(1 + random.nextInt(7)), DayOfWeek.SATURDAY);
        Map<Long, List<LocalDateTime>> nominal = new TreeMap<>();
        for (LocalDate day = LocalDate.parse("2025-12-30"); day.getYear() < 2027; day = day.plusDays(1)) {
            for (int time = 0; time < 1440 && on.contains(day.getDayOfWeek()); time++) {
                LocalDateTime local = day.atTime(time / 60, time % 60);
                if (hours.contains(local.getHour()) && minutes.contains(local.getMinute())) {
                    instants(local, zone, shifts, repeats).stream()
                            .filter(at -> at >= window.startMillis() && at <= window.endMillis())
                            .forEach(at -> nominal.computeIfAbsent(at, key -> new ArrayList<>())
                                    .add(local));
                }
            }
        }
        TreeSet<Long> expected = new TreeSet<>();
        nominal.forEach((fire, locals) -> {
            if (calendar.allows(fire)) {
                expected.add(fire);
                return;
            }
            for (LocalDateTime local : locals) {
                List<Long> arrived = List.of();
                for (int day = 1; day <= 31 && arrived.isEmpty(); day++) {
                    LocalDateTime to = local.plusDays(onExcluded == OnExcluded.NEXT ? day : -day);
                    arrived = instants(to, zone, shifts, repeats).stream()
                            .filter(at -> at >= window.startMillis() && at <= window.endMillis() && calendar.allows(at))
                            .toList();
                }
                expected.addAll(arrived);
            }
        });
        Schedule inner = schedule(
                window,
                "cron",
                list(minutes) + " " + list(hours) + " * * "
                        + list(on.stream().map(day -> day.getValue() % 7).toList()),
                "zone",
                zone.getId(),
                "dstGap",
                shifts ? "SHIFT" : "SKIP",
                "dstOverlap",
                repeats ? "TWICE" : "ONCE");
        Schedule schedule = CalendarSchedule.of(inner, List.of(calendar), onExcluded, window);
        assertAgrees(expected, schedule, window, "seed " + seed + ", " + onExcluded + ", " + schedule.description());
    }

    private static String list(List<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private static List<Long> instants(LocalDateTime local, ZoneId zone, boolean shifts, boolean repeats) {
        ZoneOffsetTransition change = zone.getRules().getTransition(local);
        if (change == null) {
            return List.of(local.atZone(zone).toInstant().toEpochMilli());
        } else if (change.isGap()) {
            return shifts ? List.of(change.getInstant().toEpochMilli()) : List.of();
        }
        long first = local.toInstant(change.getOffsetBefore()).toEpochMilli();
        return repeats ? List.of(first, local.toInstant(change.getOffsetAfter()).toEpochMilli()) : List.of(first);
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
        assertAgrees(expected, schedule, window, "seed " + seed + ", " + schedule.description());
    }

    private void assertAgrees(TreeSet<Long> expected, Schedule schedule, Window window, String context) {
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
