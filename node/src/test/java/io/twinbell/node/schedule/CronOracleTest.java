package io.twinbell.node.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.schedule.RandomCron.Feature;
import io.twinbell.node.schedule.cron.CronExpression;
import io.twinbell.node.schedule.cron.CronText;
import io.twinbell.node.schedule.cron.Dialect;
import io.twinbell.node.schedule.cron.IdentityHash;
import io.twinbell.node.schedule.zone.DstGap;
import io.twinbell.node.schedule.zone.DstOverlap;
import io.twinbell.persistence.testing.RandomCases;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compares the walk with an oracle that looks at every minute, or every second, and asks the JDK what the clocks show. */
class CronOracleTest {
    private static final long SEED = RandomCases.seed(CronOracleTest.class);
    private static final int EXPRESSIONS = RandomCases.count(400, 1_200);
    private static final int HOUR = 3600;

    private static final List<String> ZONES = List.of("""
                UTC Europe/Berlin Europe/Dublin America/New_York America/Sao_Paulo America/Santiago \
                America/St_Johns Africa/Cairo Africa/Casablanca Antarctica/Troll Asia/Kathmandu Asia/Tehran \
                Asia/Gaza Australia/Lord_Howe Pacific/Apia Pacific/Chatham""".split(" "));

    /** A stretch of time around a clock change, with what the wall clock showed at each step of it. */
    private record Stretch(ZoneId zone, ZoneOffsetTransition change, long from, int step, LocalDateTime[] local) {
        static Stretch around(ZoneId zone, ZoneOffsetTransition change, int hours, int step) {
            long from = Math.floorDiv(change.toEpochSecond(), 60) * 60 - (long) hours * HOUR;
            LocalDateTime[] local = new LocalDateTime[2 * hours * HOUR / step];
            for (int i = 0; i < local.length; i++) {
                local[i] = LocalDateTime.ofInstant(Instant.ofEpochSecond(from + (long) i * step), zone);
            }
            return new Stretch(zone, change, from, step, local);
        }

        long second(int i) {
            return from + (long) i * step;
        }

        long end() {
            return second(local.length);
        }
    }

    private static final List<Stretch> BY_MINUTE = new ArrayList<>();
    private static final List<Stretch> BY_SECOND = new ArrayList<>();

    @BeforeAll
    static void find_clock_changes_in_every_zone() {
        for (String name : ZONES) {
            ZoneId zone = ZoneId.of(name);
            List<ZoneOffsetTransition> changes = changes(zone);
            int every = Math.max(1, changes.size() / 8);
            for (int i = 0; i < changes.size(); i += every) {
                BY_MINUTE.add(Stretch.around(zone, changes.get(i), 30, 60));
                if (i % 2 == 0) {
                    BY_SECOND.add(Stretch.around(zone, changes.get(i), 2, 1));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void around_clock_changes_it_fires_at_just_the_minutes_that_match(Dialect dialect) {
        Set<Feature> features = EnumSet.complementOf(EnumSet.of(Feature.SECONDS, Feature.ONE_TIME, Feature.YEARS));
        compare(dialect, features, BY_MINUTE, EXPRESSIONS);
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void around_clock_changes_it_fires_at_just_the_seconds_that_match(Dialect dialect) {
        Set<Feature> features = EnumSet.of(Feature.SECONDS, Feature.WRAPS);
        compare(dialect, features, BY_SECOND, EXPRESSIONS / 4);
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void over_the_years_it_fires_on_just_the_days_that_match(Dialect dialect) {
        Random seeds = new Random(SEED);
        for (int i = 0; i < EXPRESSIONS; i++) {
            long seed = seeds.nextLong();
            RandomCron cron =
                    new RandomCron(new Random(seed), dialect, EnumSet.complementOf(EnumSet.of(Feature.ONE_TIME)));
            String text = cron.text();
            LocalDateTime start = LocalDateTime.of(2023, 11, 1, 0, 0).plusDays(i % 400);
            long from = start.toEpochSecond(ZoneOffset.UTC);
            long to = start.plusYears(9).toEpochSecond(ZoneOffset.UTC);
            Schedule schedule = parsed(text, dialect, ZoneOffset.UTC, DstGap.SHIFT, DstOverlap.ONCE);
            List<LocalDateTime> expected = firstOfEachDay(cron, start, 9);
            List<LocalDateTime> found = new ArrayList<>();
            for (long fire = next(schedule, from); fire < to; ) {
                LocalDateTime local = LocalDateTime.ofEpochSecond(fire, 0, ZoneOffset.UTC);
                found.add(local);
                fire = next(schedule, local.toLocalDate().plusDays(1).toEpochSecond(LocalTime.MIN, ZoneOffset.UTC));
            }
            assertEquals(expected, found, () -> text + " in " + dialect + ", seed " + seed);
        }
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void over_many_clock_changes_a_sparse_expression_loses_and_adds_no_day(Dialect dialect) {
        Set<Feature> features = EnumSet.complementOf(EnumSet.of(Feature.SECONDS));
        Random seeds = new Random(SEED);
        for (int i = 0; i < EXPRESSIONS / 3; i++) {
            long seed = seeds.nextLong();
            RandomCron cron = new RandomCron(new Random(seed), dialect, features);
            ZoneId zone = ZoneId.of(ZONES.get(i % ZONES.size()));
            LocalDate start = LocalDate.of(2005 + i % 15, 1, 15);
            LocalDate end = start.plusYears(20);
            List<Instant> expected = start.datesUntil(end)
                    .filter(cron::matches)
                    .map(day -> firstInstant(day.atTime(cron.time()), zone))
                    .distinct()
                    .toList();
            Schedule schedule = parsed(cron.text(), dialect, zone, DstGap.SHIFT, DstOverlap.ONCE);
            long from = start.atStartOfDay(zone).toEpochSecond() * 1000;
            long to = end.atStartOfDay(zone).toEpochSecond() * 1000;
            String told = cron.text() + " in " + dialect + ", " + zone + ", seed " + seed;
            assertEquals(expected, walked(from - 1, fire -> schedule.next(fire), fire -> fire < to), told);
            List<Instant> backwards = walked(to, fire -> schedule.previous(fire), fire -> fire >= from);
            Collections.reverse(backwards);
            assertEquals(expected, backwards, told);
        }
    }

    private static Instant firstInstant(LocalDateTime local, ZoneId zone) {
        ZoneOffsetTransition change = zone.getRules().getTransition(local);
        return change != null && change.isGap()
                ? change.getInstant()
                : local.atZone(zone).toInstant();
    }

    private static List<Instant> walked(long from, LongUnaryOperator step, LongPredicate inside) {
        List<Instant> fires = new ArrayList<>();
        for (long fire = step.applyAsLong(from); inside.test(fire); fire = step.applyAsLong(fire)) {
            fires.add(Instant.ofEpochMilli(fire));
        }
        return fires;
    }

    @Test
    void the_oracle_sees_gaps_and_overlaps() {
        assertTrue(BY_MINUTE.stream().filter(s -> s.change().isGap()).count() > 30);
        assertTrue(BY_MINUTE.stream().filter(s -> s.change().isOverlap()).count() > 30);
    }

    private static void compare(Dialect dialect, Set<Feature> features, List<Stretch> stretches, int expressions) {
        Random seeds = new Random(SEED);
        for (int i = 0; i < expressions; i++) {
            long seed = seeds.nextLong();
            Random random = new Random(seed);
            RandomCron cron = new RandomCron(random, dialect, features);
            Stretch stretch = stretches.get(random.nextInt(stretches.size()));
            DstGap gap = random.nextInt(3) == 0 ? DstGap.SKIP : DstGap.SHIFT;
            DstOverlap overlap = random.nextInt(3) == 0 ? DstOverlap.TWICE : DstOverlap.ONCE;
            String told = cron.text() + " in " + dialect + ", " + stretch.zone() + ", " + stretch.change() + ", " + gap
                    + ", " + overlap + ", seed " + seed;
            List<String> expected = expected(cron, stretch, gap, overlap);
            Schedule schedule = parsed(cron.text(), dialect, stretch.zone(), gap, overlap);
            assertEquals(expected, forwards(schedule, stretch), told);
            assertEquals(expected, backwards(schedule, stretch), told);
        }
    }

    private static List<String> expected(RandomCron cron, Stretch stretch, DstGap gap, DstOverlap overlap) {
        List<String> fires = new ArrayList<>();
        boolean everyPass = cron.followsRealTime() || overlap == DstOverlap.TWICE;
        for (int i = 0; i < stretch.local().length; i++) {
            LocalDateTime local = stretch.local()[i];
            long second = stretch.second(i);
            if (cron.matches(local)) {
                boolean secondPass = isSecondPass(stretch.zone(), local, second);
                if (everyPass || !secondPass) {
                    fires.add(shown(second, secondPass ? DstMark.REPEATED : DstMark.NONE));
                }
            } else if (gap == DstGap.SHIFT && !cron.followsRealTime() && swallows(cron, stretch, second)) {
                fires.add(shown(second, DstMark.SHIFTED));
            }
        }
        return fires;
    }

    private static boolean isSecondPass(ZoneId zone, LocalDateTime local, long second) {
        List<ZoneOffset> offsets = zone.getRules().getValidOffsets(local);
        return offsets.size() == 2 && local.toEpochSecond(offsets.get(1)) == second;
    }

    private static boolean swallows(RandomCron cron, Stretch stretch, long second) {
        ZoneOffsetTransition change = stretch.zone()
                .getRules()
                .getTransition(LocalDateTime.ofEpochSecond(
                                second - 1, 0, stretch.zone().getRules().getOffset(Instant.ofEpochSecond(second - 1)))
                        .plusSeconds(1));
        if (change == null || !change.isGap() || change.toEpochSecond() != second) {
            return false;
        }
        return LongStream.range(0, change.getDuration().toSeconds() / stretch.step())
                .mapToObj(i -> change.getDateTimeBefore().plusSeconds(i * stretch.step()))
                .anyMatch(cron::matches);
    }

    private static List<String> forwards(Schedule schedule, Stretch stretch) {
        List<String> fires = new ArrayList<>();
        for (long fire = next(schedule, stretch.from()); fire < stretch.end(); fire = next(schedule, fire + 1)) {
            fires.add(shown(fire, schedule.mark(fire * 1000)));
        }
        return fires;
    }

    private static List<String> backwards(Schedule schedule, Stretch stretch) {
        List<String> fires = new ArrayList<>();
        long fire = schedule.previous(stretch.end() * 1000);
        while (fire >= stretch.from() * 1000) {
            fires.add(0, shown(fire / 1000, schedule.mark(fire)));
            fire = schedule.previous(fire);
        }
        return fires;
    }

    private static List<LocalDateTime> firstOfEachDay(RandomCron cron, LocalDateTime start, int years) {
        List<LocalDateTime> found = new ArrayList<>();
        LocalDateTime time = start.toLocalDate().atStartOfDay();
        int first = 0;
        while (first < 86_400 && !cron.matchesTime(time.toLocalTime().plusSeconds(first))) {
            first++;
        }
        for (LocalDateTime day = time; day.isBefore(start.plusYears(years)); day = day.plusDays(1)) {
            if (cron.matches(day.toLocalDate())) {
                found.add(day.plusSeconds(first));
            }
        }
        return found;
    }

    private static Schedule parsed(String text, Dialect dialect, ZoneId zone, DstGap gap, DstOverlap overlap) {
        CronExpression expression =
                CronExpression.read(CronText.of(text).words(), dialect, new IdentityHash("app/name"));
        return PatternSchedule.of(expression, zone, gap, overlap, Window.from(0));
    }

    private static long next(Schedule schedule, long fromSecond) {
        long fire = schedule.next(fromSecond * 1000 - 1);
        return fire == Schedule.NEVER ? Long.MAX_VALUE : fire / 1000;
    }

    private static String shown(long second, DstMark mark) {
        return Instant.ofEpochSecond(second) + (mark == DstMark.NONE ? "" : " " + mark);
    }

    /** Up to 2060, so that both recorded history and rules for the future are met. */
    private static List<ZoneOffsetTransition> changes(ZoneId zone) {
        List<ZoneOffsetTransition> changes = new ArrayList<>();
        ZoneOffsetTransition change = zone.getRules().nextTransition(Instant.parse("1973-01-01T00:00:00Z"));
        while (change != null && change.getInstant().isBefore(Instant.parse("2060-01-01T00:00:00Z"))) {
            changes.add(change);
            change = zone.getRules().nextTransition(change.getInstant());
        }
        return changes;
    }
}
