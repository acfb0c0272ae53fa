package io.twinbell.node.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.schedule.RandomCron.Feature;
import io.twinbell.node.schedule.cron.Dialect;
import io.twinbell.persistence.testing.RandomCases;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares with Spring around clock changes: with SKIP and TWICE we mean the same, every match that the wall clock
 * shows. Left out are the zones whose changes Spring gets wrong, which {@link CronOtherLibrariesTest} names; the oracle
 * has those too.
 */
class CronInZonesTest {
    private static final long SEED = RandomCases.seed(CronInZonesTest.class);
    private static final Pattern WRONG_IN_SPRING = Pattern.compile("SUN-SUN|L-(28|29|30)|(28|29|30|31)W");
    private static final int EXPRESSIONS = RandomCases.count(300, 6_000);
    private static final int FIRES = 8;
    private static final long DAY_MILLIS = 86_400_000;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Europe/Berlin",
                "Europe/Dublin",
                "America/New_York",
                "America/St_Johns",
                "Africa/Casablanca",
                "Asia/Jerusalem",
                "Australia/Sydney",
            })
    void around_clock_changes_spring_fires_at_the_same_times(String name) {
        ZoneId zone = ZoneId.of(name);
        Random seeds = new Random(SEED);
        List<String> differences = new ArrayList<>();
        List<ZoneOffsetTransition> changes = changes(zone);
        for (int i = 0; i < EXPRESSIONS; i++) {
            long seed = seeds.nextLong();
            Random random = new Random(seed);
            String text = new RandomCron(
                            random,
                            Dialect.SPRING,
                            EnumSet.of(
                                    Feature.SECONDS,
                                    Feature.LAST_OFFSET,
                                    Feature.SPECIAL_DAYS,
                                    Feature.BOTH_DAY_FIELDS))
                    .text();
            ZoneOffsetTransition change = changes.get(i % changes.size());
            long from =
                    change.getInstant().minusSeconds(random.nextInt(2 * 86_400)).toEpochMilli();
            if (WRONG_IN_SPRING.matcher(text).find() || isGapAtLastHour(text, change)) {
                continue;
            }
            List<Instant> ours = ours(text, name, from);
            List<Instant> theirs = walked(OtherLibraries.spring(text, name), from);
            if (!ours.equals(theirs)) {
                differences.add(text + " seed " + seed + "\n ours   " + ours + "\n theirs " + theirs);
            }
        }
        assertEquals(List.of(), differences);
    }

    /** Spring loses the day after a gap that swallows the last hour of an expression; CronOtherLibrariesTest shows it. */
    private static boolean isGapAtLastHour(String text, ZoneOffsetTransition change) {
        String hours = text.split(" ")[2];
        LongUnaryOperator hourly = OtherLibraries.spring("0 0 " + hours + " * * *", "UTC");
        long last = change.getDateTimeBefore().getHour() * 3_600_000L;
        return change.isGap() && hourly.applyAsLong(last - 1) == last && hourly.applyAsLong(last) >= DAY_MILLIS;
    }

    private static List<ZoneOffsetTransition> changes(ZoneId zone) {
        List<ZoneOffsetTransition> changes = new ArrayList<>();
        Instant after = Instant.parse("2024-01-01T00:00:00Z");
        for (int i = 0; i < 20; i++) {
            changes.add(zone.getRules().nextTransition(after));
            after = changes.get(i).getInstant();
        }
        return changes;
    }

    private static List<Instant> ours(String text, String zone, long from) {
        try {
            Schedule schedule = ScheduleFixtures.schedule(
                    "cron", text, "dialect", "SPRING", "zone", zone, "dstGap", "SKIP", "dstOverlap", "TWICE");
            return walked(schedule::next, from);
        } catch (ScheduleException e) {
            // For Spring such an expression just has no next time.
            assertTrue(e.getMessage().contains("never fires"), e.getMessage());
            return List.of();
        }
    }

    private static List<Instant> walked(LongUnaryOperator next, long from) {
        List<Instant> fires = new ArrayList<>();
        long fire = next.applyAsLong(from);
        while (fires.size() < FIRES && fire != Schedule.NEVER) {
            fires.add(Instant.ofEpochMilli(fire));
            fire = next.applyAsLong(fire);
        }
        return fires;
    }
}
