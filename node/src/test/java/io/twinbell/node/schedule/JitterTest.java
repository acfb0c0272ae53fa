package io.twinbell.node.schedule;

import static io.twinbell.node.schedule.ScheduleFixtures.at;
import static io.twinbell.node.schedule.ScheduleFixtures.json;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.persistence.testing.RandomCases;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A jittered schedule beside an oracle that lists all of its fire times, one by one. */
class JitterTest {
    private static final long SEED = RandomCases.seed(JitterTest.class);
    private static final long START = at("2026-03-27T00:00:00.007Z");
    private static final long DAY = 86_400_000;
    private static final Window WINDOW = new Window(at("2026-11-01T00:00:00Z"), at("2026-12-31T00:00:00Z"));
    private static final long MONDAY = at("2026-11-23T00:00:00Z");
    private static final long OPENING = at("2026-11-23T08:00:00Z");
    private static final long CLOSING = at("2026-11-23T18:00:00Z");
    private static final long WEEK = Duration.ofDays(7).toMillis();

    private static Schedule putOff(Schedule meant, Duration jitter, Window window, String identity) {
        return Schedules.jittered(meant, jitter, window, identity);
    }

    /** The schedule, what it means, and each instant that it means with its fire time. */
    private record Sample(String name, Schedule meant, Schedule jittered, List<Long> instants, List<Long> fires) {
        static Sample of(String kind, String text, Duration jitter, Window window) {
            Schedule meant = ScheduleFixtures.schedule(window, kind, text);
            if (kind.equals("cron")) {
                meant = Schedules.parse(json("cron", text, "zone", "Europe/Berlin"), window, "app/name");
            }
            Schedule jittered = putOff(meant, jitter, window, "app/name");
            List<Long> instants = new ArrayList<>();
            List<Long> fires = new ArrayList<>();
            for (long n = meant.next(Long.MIN_VALUE); n != Schedule.NEVER; n = meant.next(n)) {
                instants.add(n);
                fires.add(jittered.fireFor(n));
            }
            return new Sample(kind + " " + text + " ± " + jitter + " in " + window, meant, jittered, instants, fires);
        }

        /** Short windows, so that all can be listed, over a change of the clocks. */
        static List<Sample> some(Random random) {
            List<Sample> samples = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                long every = 10 + random.nextInt(2_000_000);
                long length = (long) (every * (0.5 + random.nextInt(400)));
                Window window = new Window(START, START + length);
                samples.add(of("every", every + "ms", jitter(random, every * 2), window));
            }
            String[] crons = {
                "*/10 * * * *", "30 2 * * *", "0 0-5 * * *", "7 */3 * * *", "15 1,2,3 29 3 *", "0 3 * * MON"
            };
            for (int i = 0; i < 60; i++) {
                Window window = new Window(START, START + DAY * (4 + random.nextInt(8)) + random.nextInt(100_000));
                samples.add(of("cron", crons[i % crons.length], jitter(random, DAY), window));
            }
            for (int i = 0; i < 5; i++) {
                samples.add(of("at", "2026-03-28T00:00:00Z", jitter(random, DAY), new Window(START, START + 2 * DAY)));
            }
            return samples;
        }

        private static Duration jitter(Random random, long most) {
            return Duration.ofMillis(1 + (long) (random.nextDouble() * random.nextDouble() * Math.min(most, DAY - 1)));
        }
    }

    @Test
    void no_fire_time_is_early_beyond_the_jitter_outside_the_window_or_beside_another() {
        for (Sample sample : Sample.some(new Random(SEED))) {
            long jitter = ((JitteredSchedule) sample.jittered()).jitterMillis();
            long end = ((JitteredSchedule) sample.jittered()).window().endMillis();
            for (int i = 0; i < sample.instants().size(); i++) {
                long offset = sample.fires().get(i) - sample.instants().get(i);
                long next = i + 1 < sample.instants().size() ? sample.instants().get(i + 1) : Schedule.NEVER;
                assertTrue(0 <= offset && offset <= jitter, sample.name());
                assertTrue(sample.fires().get(i) < next && sample.fires().get(i) <= end, sample.name());
            }
        }
    }

    @Test
    void next_previous_and_marks_are_those_of_a_list_of_all_fire_times() {
        Random random = new Random(SEED);
        for (Sample sample : Sample.some(random)) {
            Schedule jittered = sample.jittered();
            for (long instant : probes(sample, random)) {
                String when = sample.name() + " at " + instant + ", seed " + SEED;
                long next = sample.fires().stream()
                        .filter(f -> f > instant)
                        .findFirst()
                        .orElse(Schedule.NEVER);
                long previous = sample.fires().stream()
                        .filter(f -> f < instant)
                        .reduce((one, other) -> other)
                        .orElse(Schedule.NONE_BEFORE);
                assertEquals(next, jittered.next(instant), when);
                assertEquals(previous, jittered.previous(instant), when);
                int index = sample.fires().indexOf(instant);
                long meant = index < 0 ? instant : sample.instants().get(index);
                assertEquals(meant, jittered.nominalTime(instant), when);
                assertEquals(index < 0 ? DstMark.NONE : sample.meant().mark(meant), jittered.mark(instant), when);
            }
        }
    }

    @Test
    void overdue_counts_what_the_list_counts() {
        Random random = new Random(SEED);
        for (Sample sample : Sample.some(random)) {
            List<Long> probes = probes(sample, random);
            for (int i = 0; i < 60; i++) {
                long first = probes.get(random.nextInt(probes.size()));
                long until = probes.get(random.nextInt(probes.size()));
                List<Long> between = sample.fires().stream()
                        .filter(f -> f > first && f <= until)
                        .toList();
                long last = between.isEmpty() ? first : between.get(between.size() - 1);
                Overdue expected =
                        until < first ? Overdue.none(first) : new Overdue(first, last, 1 + between.size(), true);
                String when = sample.name() + " from " + first + " until " + until + ", seed " + SEED;
                assertEquals(expected, sample.jittered().overdue(first, until, 1_000_000), when);
                Overdue few = sample.jittered().overdue(first, until, 7);
                assertEquals(expected.last(), few.last(), when);
                assertEquals(few.complete() ? expected.count() : 7, few.count(), when);
            }
        }
    }

    /** Around fire times, instants meant, the ends of the window, and anywhere. */
    private static List<Long> probes(Sample sample, Random random) {
        List<Long> probes = new ArrayList<>(List.of(START - 1, START, Schedule.NEVER, 0L));
        for (int i = 0; i < 40; i++) {
            int index = random.nextInt(sample.fires().size());
            probes.add(sample.fires().get(index) + random.nextInt(3) - 1);
            probes.add(sample.instants().get(index) + random.nextInt(3) - 1);
            probes.add(START + (long) (random.nextDouble() * 10 * DAY));
        }
        return probes;
    }

    @Test
    void a_day_of_10_millisecond_slots_is_counted_by_arithmetic() {
        Window window = Window.from(START);
        Schedule fast =
                putOff(ScheduleFixtures.schedule(window, "every", "10ms"), Duration.ofSeconds(5), window, "app/name");
        long first = fast.next(START + 5);
        long until = first + DAY;
        Overdue overdue = fast.overdue(first, until, 1);
        assertTrue(overdue.complete());
        long last = fast.previous(until + 1);
        assertEquals((fast.nominalTime(last) - fast.nominalTime(first)) / 10 + 1, overdue.count());
        assertEquals(last, overdue.last());
    }

    @ParameterizedTest
    @CsvSource({
        "app/name, 2026-03-27T00:00:00Z, 21_704_917",
        "app/name, 2026-03-28T00:00:00Z, 11_572_041",
        "app/namf, 2026-03-27T00:00:00Z, 23_164_206",
    })
    void the_offset_of_a_slot_is_the_same_for_ever(String identity, String instant, String offset) {
        Window window = Window.from(0);
        Schedule daily = putOff(ScheduleFixtures.schedule("cron", "@daily"), Duration.ofHours(12), window, identity);
        assertEquals(Long.parseLong(offset.replace("_", "")), daily.fireFor(at(instant)) - at(instant));
    }

    @Test
    void tasks_and_slots_are_spread_evenly_over_the_jitter() {
        Window window = Window.from(START);
        int[] buckets = new int[10];
        Set<Long> offsets = new HashSet<>();
        Schedule hourly = ScheduleFixtures.schedule(window, "every", "PT1H");
        for (int task = 0; task < 100; task++) {
            Schedule jittered = putOff(hourly, Duration.ofMinutes(10), window, "app/task-" + task);
            for (int slot = 0; slot < 100; slot++) {
                long offset = jittered.fireFor(START + slot * 3_600_000L) - START - slot * 3_600_000L;
                buckets[(int) (offset / 60_001)]++;
                offsets.add(offset);
            }
        }
        for (int bucket : buckets) {
            assertTrue(bucket > 850 && bucket < 1150, Arrays.toString(buckets));
        }
        assertTrue(offsets.size() > 9_500, "few coincide: " + offsets.size());
    }

    @Test
    void the_next_slot_of_a_task_that_follows_its_run_is_put_off_after_the_delay() {
        Window window = new Window(START, START + DAY);
        FixedDelay delay = new FixedDelay(5000, window);
        Schedule jittered = putOff(delay, Duration.ofMinutes(1), window, "app/name");
        assertTrue(jittered.followsTheRun());
        long end = START + 123_456;
        long next = jittered.afterRun(end);
        assertTrue(next >= end + 5000 && next <= end + 65_000);
        assertEquals(
                next, putOff(delay, Duration.ofMinutes(1), window, "app/name").afterRun(end));
        assertNotEquals(
                next, putOff(delay, Duration.ofMinutes(1), window, "app/nama").afterRun(end));
        assertEquals(Schedule.NEVER, jittered.afterRun(START + DAY - 4999));
        assertEquals(START + DAY, jittered.afterRun(START + DAY - 5000), "no further than the window");
        assertEquals(new Overdue(next, next, 1, true), jittered.overdue(next, next + DAY, 9));
        assertEquals(jittered.fireFor(START), jittered.next(START - 1));
    }

    @Test
    void a_one_shot_fires_once_and_says_so() {
        Window window = Window.from(START);
        Schedule once =
                putOff(ScheduleFixtures.schedule(window, "in", "PT48H"), Duration.ofHours(1), window, "app/name");
        assertTrue(once.firesOnce());
        assertFalse(once.followsAZone());
        long fire = once.next(0);
        assertEquals(Schedule.NEVER, once.next(fire));
        assertEquals(fire, once.previous(Schedule.NEVER));
        assertEquals("once, at 2026-03-29T00:00:00.007Z, each up to 1 hour later", once.description());
    }

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
