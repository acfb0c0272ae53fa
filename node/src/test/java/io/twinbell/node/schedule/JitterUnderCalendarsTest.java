package io.twinbell.node.schedule;

import static io.twinbell.node.schedule.ScheduleFixtures.at;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Schedule;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Calendars let through Mondays from 08:00 to 18:00. The week looked at begins on Monday, 2026-11-23. */
class JitterUnderCalendarsTest {
    private static final Window WINDOW = new Window(at("2026-11-01T00:00:00Z"), at("2026-12-31T00:00:00Z"));
    private static final long MONDAY = at("2026-11-23T00:00:00Z");
    private static final long OPENING = at("2026-11-23T08:00:00Z");
    private static final long CLOSING = at("2026-11-23T18:00:00Z");
    private static final long WEEK = Duration.ofDays(7).toMillis();

    private static Schedule calendared(Schedule schedule) {
        TimeRanges.Collector week = new TimeRanges.Collector().add(8 * 3600L, 18 * 3600L);
        BusinessCalendar mondays = new BusinessCalendar(
                "mondays",
                3,
                BusinessCalendar.Mode.ALLOW,
                ZoneId.of("UTC"),
                new BusinessCalendar.Times(TimeRanges.NONE, week.merged(), TimeRanges.NONE));
        return CalendarSchedule.of(schedule, List.of(mondays), WINDOW);
    }

    /** Of many tasks, so that the jitter reaches everywhere. */
    private static Stream<Schedule> jittered(Duration jitter, String... schedule) {
        Schedule calendared = calendared(ScheduleFixtures.schedule(WINDOW, schedule));
        return IntStream.range(0, 200).mapToObj(i -> Schedules.jittered(calendared, jitter, WINDOW, "app/" + i));
    }

    @Test
    void a_slot_planned_inside_runs_though_its_jitter_ends_outside() {
        List<Schedule> tasks =
                jittered(Duration.ofHours(5), "cron", "0 17 * * *").toList();
        for (Schedule task : tasks) {
            long fire = task.next(MONDAY);
            assertEquals(at("2026-11-23T17:00:00Z"), task.nominalTime(fire));
            assertTrue(task.allows(fire));
            assertEquals(fire, task.letThrough(fire));
            assertEquals(fire, task.previous(fire + 1));
            assertEquals(at("2026-11-30T17:00:00Z"), task.nominalTime(task.next(fire)));
        }
        assertTrue(tasks.stream().anyMatch(task -> task.next(MONDAY) > CLOSING));
    }

    @Test
    void a_slot_planned_outside_does_not_run_though_its_jitter_ends_inside() {
        List<Schedule> tasks =
                jittered(Duration.ofHours(6), "cron", "0 6 * * *").toList();
        for (Schedule task : tasks) {
            assertEquals(Schedule.NEVER, task.next(MONDAY));
            long excluded = task.withoutCalendars().next(MONDAY);
            assertFalse(task.allows(excluded));
            assertEquals(Schedule.NEVER, task.letThrough(excluded));
            assertEquals(DstMark.NONE, task.mark(excluded));
        }
        assertTrue(tasks.stream().anyMatch(task -> task.withoutCalendars().next(MONDAY) > OPENING));
    }

    @Test
    void an_instant_has_the_same_fire_time_whatever_its_calendars() {
        jittered(Duration.ofHours(24), "every", "PT1H").forEach(task -> {
            long fire = task.next(MONDAY + Duration.ofHours(20).toMillis());
            assertEquals(OPENING + WEEK, task.nominalTime(fire));
            assertEquals(task.withoutCalendars().fireFor(OPENING + WEEK), fire);
            assertEquals(fire, task.letThrough(task.withoutCalendars().fireFor(OPENING - 3_600_000 + WEEK)));
        });
    }

    @Test
    void it_says_what_its_schedule_says() {
        Schedule task = jittered(Duration.ofHours(1), "cron", "0 17 * * *", "zone", "Europe/Berlin")
                .findAny()
                .orElseThrow();
        assertEquals(Map.of("mondays", 3L), task.calendars());
        assertTrue(task.followsAZone());
        assertTrue(task.withoutCalendars().calendars().isEmpty());
        assertTrue(jittered(Duration.ofHours(1), "at", "2026-11-23T09:00:00Z").allMatch(Schedule::firesOnce));
    }

    @Test
    void a_fixed_delay_is_counted_from_the_opening_and_ends_within_the_window() {
        List<Schedule> tasks = jittered(Duration.ofHours(2), "every", "PT1H", "mode", "FIXED_DELAY")
                .toList();
        for (Schedule task : tasks) {
            long late = task.afterRun(CLOSING - 5_400_000);
            assertTrue(late >= CLOSING - 1_800_000 && late < CLOSING && task.allows(late));
            long nextWeek = task.afterRun(CLOSING - 1_800_000);
            assertTrue(nextWeek >= OPENING + WEEK && nextWeek <= OPENING + WEEK + 7_200_000 && task.allows(nextWeek));
            assertEquals(nextWeek, task.letThrough(CLOSING + 1_800_000));
        }
        assertTrue(tasks.stream().map(task -> task.afterRun(CLOSING)).distinct().count() > 100);
        assertTrue(tasks.stream()
                        .map(task -> task.afterRun(CLOSING - 5_400_000))
                        .distinct()
                        .count()
                > 20);
    }
}
