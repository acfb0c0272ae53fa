package io.twinbell.node.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.persistence.testing.RandomCases;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random calendars and schedules against a walk that asks of every minute: does the schedule fire then, and what do the
 * wall clocks of the calendars show? The oracle knows java.time, and nothing of stretches.
 */
class CalendarOracleTest {
    private static final long MINUTE = 60_000;
    private static final int ROUNDS = RandomCases.count(4, 40);
    private static final String[] ZONES = {
        "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "America/Sao_Paulo",
        "Africa/Casablanca", "Antarctica/Troll", "Pacific/Apia", "Pacific/Chatham", "Asia/Tehran", "Asia/Kolkata"
    };

    private record Span(long start, long end) {}

    private record Hours(int day, int fromMinute, int untilMinute) {}

    /** A calendar in the plainest form, as the oracle reads it. */
    private record Plain(
            ZoneId zone, BusinessCalendar.Mode mode, TreeSet<LocalDate> dates, List<Hours> hours, List<Span> spans) {
        boolean allows(long millis) {
            ZonedDateTime shown = Instant.ofEpochMilli(millis).atZone(zone);
            int minute = shown.getHour() * 60 + shown.getMinute();
            boolean listed = dates.contains(shown.toLocalDate())
                    || hours.stream()
                            .anyMatch(h -> h.day() == shown.getDayOfWeek().getValue() - 1
                                    && h.fromMinute() <= minute
                                    && minute < h.untilMinute())
                    || spans.stream().anyMatch(s -> s.start() <= millis && millis < s.end());
            return listed == (mode == BusinessCalendar.Mode.ALLOW);
        }

        BusinessCalendar compiled(String name) {
            TimeRanges.Collector days = new TimeRanges.Collector();
            dates.forEach(date ->
                    days.add(date.toEpochDay() * BusinessCalendar.DAY, (date.toEpochDay() + 1) * BusinessCalendar.DAY));
            TimeRanges.Collector week = new TimeRanges.Collector();
            hours.forEach(h -> week.add(
                    h.day() * BusinessCalendar.DAY + h.fromMinute() * 60L,
                    h.day() * BusinessCalendar.DAY + h.untilMinute() * 60L));
            TimeRanges.Collector real = new TimeRanges.Collector();
            spans.forEach(span -> real.add(span.start() / 1000, span.end() / 1000));
            return new BusinessCalendar(
                    name, 1, mode, zone, new BusinessCalendar.Times(days.merged(), week.merged(), real.merged()));
        }
    }

    /** Around clock changes of most zones, the day that Apia left out, and a whole year. */
    @ParameterizedTest
    @CsvSource({
        "1, 2026-03-01T00:00:00Z, 45", "2, 2026-10-01T00:00:00Z, 45", "3, 2011-12-15T00:00:00Z, 30",
        "4, 2018-02-10T00:00:00Z, 20", "5, 2018-10-25T00:00:00Z, 20", "6, 2025-12-20T00:00:00Z, 25",
        "7, 2023-04-15T00:00:00Z, 30", "8, 2024-02-20T00:00:00Z, 370"
    })
    void fires_where_a_walk_by_the_minute_finds_it_let_through(long seed, String from, int days) {
        Random random = new Random(seed);
        long start = Instant.parse(from).toEpochMilli();
        long end = start + days * 1440L * MINUTE;
        for (int round = 0; round < (days > 100 ? ROUNDS / 4 : ROUNDS); round++) {
            List<Plain> plain = new ArrayList<>();
            List<BusinessCalendar> compiled = new ArrayList<>();
            for (int i = 0; i < 1 + random.nextInt(2); i++) {
                plain.add(calendar(random, start, days));
                compiled.add(plain.get(i).compiled("c" + i));
            }
            Window window = new Window(start, end);
            Schedule inner = schedule(random, window);
            Schedule schedule = CalendarSchedule.of(inner, compiled, window);
            String what = "seed " + seed + " round " + round + ": " + inner.description() + " " + plain;
            List<Long> expected = new ArrayList<>();
            for (long minute = start; minute <= end; minute += MINUTE) {
                long at = minute;
                boolean allowed = plain.stream().allMatch(calendar -> calendar.allows(at));
                assertEquals(allowed, schedule.allows(at), () -> Instant.ofEpochMilli(at) + " " + what);
                if (allowed && inner.next(at - 1) == at) {
                    expected.add(at);
                }
            }
            assertEquals(expected, forwards(schedule, start), what);
            assertEquals(expected, backwards(schedule, end), what);
            if (!expected.isEmpty()) {
                Overdue overdue = schedule.overdue(expected.get(0), end, 1_000_000);
                assertEquals(
                        new Overdue(expected.get(0), expected.get(expected.size() - 1), expected.size(), true),
                        overdue,
                        what);
            }
        }
    }

    private static List<Long> forwards(Schedule schedule, long start) {
        List<Long> fires = new ArrayList<>();
        for (long fire = schedule.next(start - 1); fire != Schedule.NEVER; fire = schedule.next(fire)) {
            fires.add(fire);
        }
        return fires;
    }

    private static List<Long> backwards(Schedule schedule, long end) {
        List<Long> fires = new ArrayList<>();
        for (long fire = schedule.previous(end + 1); fire != Schedule.NONE_BEFORE; fire = schedule.previous(fire)) {
            fires.add(0, fire);
        }
        return fires;
    }

    private static Schedule schedule(Random random, Window window) {
        String zone = ZONES[random.nextInt(ZONES.length)];
        return switch (random.nextInt(5)) {
            case 0 -> ScheduleFixtures.schedule(window, "every", "PT" + (1 + random.nextInt(200)) + "M");
            case 1 ->
                ScheduleFixtures.schedule(window, "cron", "*/" + (5 + random.nextInt(20)) + " * * * *", "zone", zone);
            case 2 -> ScheduleFixtures.schedule(window, "cron", random.nextInt(60) + " 0,2,9,23 * * *", "zone", zone);
            case 3 ->
                ScheduleFixtures.schedule(window, "cron", "30 " + random.nextInt(24) + " * * MON-FRI", "zone", zone);
            default -> ScheduleFixtures.schedule(window, "cron", "0 12 1,15,L * *", "zone", zone);
        };
    }

    private static Plain calendar(Random random, long start, int days) {
        ZoneId zone = ZoneId.of(ZONES[random.nextInt(ZONES.length)]);
        LocalDate first = Instant.ofEpochMilli(start).atZone(zone).toLocalDate();
        TreeSet<LocalDate> dates = new TreeSet<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            LocalDate from = first.plusDays(random.nextInt(days));
            for (int length = random.nextInt(5); length >= 0; length--) {
                dates.add(from.plusDays(length));
            }
        }
        List<Hours> hours = new ArrayList<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            int from = random.nextInt(4) == 0 ? 0 : random.nextInt(1440);
            int until = random.nextInt(3) == 0 ? 1440 : from + 1 + random.nextInt(1440 - from);
            hours.add(new Hours(random.nextInt(7), from, until));
        }
        List<Span> spans = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            long from = start + random.nextInt(days * 1440) * MINUTE;
            spans.add(new Span(from, from + (1 + random.nextInt(3000)) * MINUTE));
        }
        boolean allow = random.nextInt(3) == 0 && !(dates.isEmpty() && hours.isEmpty() && spans.isEmpty());
        return new Plain(
                zone, allow ? BusinessCalendar.Mode.ALLOW : BusinessCalendar.Mode.EXCLUDE, dates, hours, spans);
    }
}
