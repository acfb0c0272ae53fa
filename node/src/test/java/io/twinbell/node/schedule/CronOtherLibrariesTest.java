package io.twinbell.node.schedule;

import static io.twinbell.node.schedule.Given.at;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import io.twinbell.node.schedule.RandomCron.Feature;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Date;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.TimeZone;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.CronExpression;

/**
 * Compares with Quartz 2.5.2, Spring 6.2.11 and cron-utils 9.2.1: the same fires in UTC for whatever they can read, and each
 * known disagreement by name, with who is right.
 */
class CronOtherLibrariesTest {
    private static final long SEED = Long.getLong("twinbell.test.seed", 20_261_025L);
    private static final int EXPRESSIONS = 1_000;
    private static final int FIRES = 12;
    private static final String START = "2026-01-31T22:59:30Z";

    @Test
    void quartz_fires_at_the_same_times() {
        // Without W: after such a shift Quartz fires at the wrong time of day, see below.
        EnumSet<Feature> features =
                EnumSet.of(Feature.SECONDS, Feature.WRAPS, Feature.LAST_OFFSET, Feature.SPECIAL_DAYS, Feature.YEARS);
        compare(Dialect.QUARTZ, features, text -> quartz(text, "UTC"));
    }

    @Test
    void spring_fires_at_the_same_times() {
        // Without wraps, which it refuses.
        EnumSet<Feature> features = EnumSet.of(
                Feature.SECONDS,
                Feature.LAST_OFFSET,
                Feature.SPECIAL_DAYS,
                Feature.NEAREST_WEEKDAY,
                Feature.BOTH_DAY_FIELDS);
        compare(Dialect.SPRING, features, text -> spring(text, "UTC"));
    }

    @Test
    void cron_utils_fires_at_the_same_times_as_quartz_dialect() {
        // Without wraps, which it reads as their first value, and without W, for which it throws in short months.
        EnumSet<Feature> features = EnumSet.of(Feature.SECONDS, Feature.LAST_OFFSET, Feature.SPECIAL_DAYS);
        compare(Dialect.QUARTZ, features, text -> cronUtils(text, CronType.QUARTZ, "UTC"));
    }

    @Test
    void cron_utils_fires_at_the_same_times_as_unix_dialect() {
        EnumSet<Feature> features = EnumSet.of(Feature.BOTH_DAY_FIELDS);
        compare(Dialect.UNIX, features, text -> cronUtils(text, CronType.UNIX, "UTC"));
    }

    private interface Library {
        LongUnaryOperator open(String text);
    }

    private static void compare(Dialect dialect, EnumSet<Feature> features, Library library) {
        Random seeds = new Random(SEED);
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < EXPRESSIONS; i++) {
            long seed = seeds.nextLong();
            String text = new RandomCron(new Random(seed), dialect, features).text();
            List<String> theirs = fires(library, text);
            List<String> ours = ours(text, dialect);
            if (!ours.equals(theirs)) {
                differences.add(text + " seed " + seed + "\n ours   " + ours + "\n theirs " + theirs);
            }
        }
        assertEquals(
                List.of(),
                differences.subList(0, Math.min(12, differences.size())),
                () -> differences.size() + " differ");
    }

    private static List<String> ours(String text, Dialect dialect) {
        try {
            Schedule schedule =
                    Schedules.parse(Given.json("cron", text, "dialect", dialect.name()), Window.from(0), "app/name");
            return Given.fires(schedule, START, FIRES);
        } catch (ScheduleException e) {
            return List.of(e.getMessage());
        }
    }

    private static List<String> fires(Library library, String text) {
        List<String> fires = new ArrayList<>();
        try {
            LongUnaryOperator next = library.open(text);
            long fire = next.applyAsLong(at(START));
            while (fires.size() < FIRES && fire != Schedule.NEVER) {
                fires.add(Instant.ofEpochMilli(fire).toString());
                fire = next.applyAsLong(fire);
            }
        } catch (RuntimeException e) {
            fires.add(e.toString());
        }
        return fires;
    }

    private static LongUnaryOperator quartz(String text, String zone) {
        try {
            org.quartz.CronExpression expression = new org.quartz.CronExpression(text);
            expression.setTimeZone(TimeZone.getTimeZone(zone));
            return after -> {
                Date next = expression.getNextValidTimeAfter(new Date(after));
                return next == null ? Schedule.NEVER : next.getTime();
            };
        } catch (java.text.ParseException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static LongUnaryOperator spring(String text, String zone) {
        CronExpression expression = CronExpression.parse(text);
        return after -> {
            ZonedDateTime next = expression.next(Instant.ofEpochMilli(after).atZone(ZoneId.of(zone)));
            return next == null ? Schedule.NEVER : next.toInstant().toEpochMilli();
        };
    }

    private static LongUnaryOperator cronUtils(String text, CronType type, String zone) {
        ExecutionTime time =
                ExecutionTime.forCron(new CronParser(CronDefinitionBuilder.instanceDefinitionFor(type)).parse(text));
        return after -> time.nextExecution(Instant.ofEpochMilli(after).atZone(ZoneId.of(zone)))
                .map(next -> next.toInstant().toEpochMilli())
                .orElse(Schedule.NEVER);
    }
}
