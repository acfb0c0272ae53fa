package io.twinbell.node.schedule;

import static io.twinbell.node.schedule.Given.at;
import static io.twinbell.node.schedule.Given.schedule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import io.twinbell.node.schedule.RandomCron.Feature;
import java.time.DateTimeException;
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
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.support.CronExpression;

/**
 * Compares with Quartz 2.5.2, Spring 6.2.11 and cron-utils 9.2.1: the same fires in UTC for whatever they can read, and each
 * known disagreement by name, with who is right.
 */
class CronOtherLibrariesTest {
    private static final long SEED = Long.getLong("twinbell.test.seed", 20_261_025L);
    private static final Pattern NOTHING = Pattern.compile("(?!)");
    private static final int EXPRESSIONS = 1_000;
    private static final int FIRES = 12;
    private static final String START = "2026-01-31T22:59:30Z";

    @BeforeAll
    static void silence_cron_utils() {
        // It logs a stack for each candidate that it rejects.
        ((Logger) LoggerFactory.getLogger("com.cronutils")).setLevel(Level.OFF);
    }

    @Test
    void quartz_fires_at_the_same_times() {
        // Without W: after such a shift Quartz fires at the wrong time of day, see below.
        EnumSet<Feature> features =
                EnumSet.of(Feature.SECONDS, Feature.WRAPS, Feature.LAST_OFFSET, Feature.SPECIAL_DAYS, Feature.YEARS);
        compare(Dialect.QUARTZ, features, NOTHING, text -> quartz(text, "UTC"));
    }

    @Test
    void spring_fires_at_the_same_times() {
        // Without wraps, which it refuses; SUN-SUN, which it takes for the whole week and we for Sunday; and L-28 to
        // L-30,
        // for which it goes back in time from February, see below.
        EnumSet<Feature> features = EnumSet.of(
                Feature.SECONDS,
                Feature.LAST_OFFSET,
                Feature.SPECIAL_DAYS,
                Feature.NEAREST_WEEKDAY,
                Feature.BOTH_DAY_FIELDS);
        compare(
                Dialect.SPRING,
                features,
                Pattern.compile("SUN-SUN|L-(28|29|30)|(28|29|30|31)W"),
                text -> spring(text, "UTC"));
    }

    @Test
    void cron_utils_fires_at_the_same_times_as_quartz_dialect() {
        // Without wraps, which it reads as their first value, and without W, for which it throws in short months.
        EnumSet<Feature> features = EnumSet.of(Feature.SECONDS, Feature.LAST_OFFSET, Feature.SPECIAL_DAYS);
        compare(Dialect.QUARTZ, features, NOTHING, text -> cronUtils(text, CronType.QUARTZ, "UTC"));
    }

    @Test
    void cron_utils_fires_at_the_same_times_as_unix_dialect() {
        // Without ranges from Sunday on: it makes 7 of SUN and then refuses 7-6. And without */1 in a day field, which
        // it
        // takes for *, so that only the other field counts; for us just the bare star leaves a field open.
        EnumSet<Feature> features = EnumSet.of(Feature.BOTH_DAY_FIELDS);
        compare(Dialect.UNIX, features, Pattern.compile("SUN-|\\*/1 "), text -> cronUtils(text, CronType.UNIX, "UTC"));
    }

    @Test
    void all_three_skip_a_time_in_a_gap_but_we_fire_right_after_it() {
        // Operators expect a nightly job every night: Vixie cron's rule. SKIP gives what the others do.
        String daily = "0 30 2 * * ?";
        List<String> skipped = List.of("2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z");
        String before = "2026-03-28T00:00:00Z";
        assertEquals(skipped, fires(quartz(daily, "Europe/Berlin"), before, 2));
        assertEquals(skipped, fires(spring(daily, "Europe/Berlin"), before, 2));
        assertEquals(skipped, fires(cronUtils(daily, CronType.QUARTZ, "Europe/Berlin"), before, 2));
        assertEquals(
                List.of("2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z"),
                Given.fires(schedule("cron", daily, "zone", "Europe/Berlin"), before, 2));
        assertEquals(
                skipped, Given.fires(schedule("cron", daily, "zone", "Europe/Berlin", "dstGap", "SKIP"), before, 2));
    }

    @Test
    void in_an_overlap_quartz_takes_the_second_and_spring_both_but_we_the_first() {
        // The first is on time by the clock on the wall, the second an hour late; both would run a nightly job twice.
        String daily = "0 30 2 * * ?";
        String first = "2026-10-25T00:30:00Z";
        String second = "2026-10-25T01:30:00Z";
        String before = "2026-10-25T00:00:00Z";
        assertEquals(List.of(second), fires(quartz(daily, "Europe/Berlin"), before, 1));
        assertEquals(List.of(first, second), fires(spring(daily, "Europe/Berlin"), before, 2));
        assertEquals(List.of(first), fires(cronUtils(daily, CronType.QUARTZ, "Europe/Berlin"), before, 1));
        assertEquals(
                List.of(first, "2026-10-26T01:30:00Z"),
                Given.fires(schedule("cron", daily, "zone", "Europe/Berlin"), before, 2));
    }

    @Test
    void quartz_refuses_a_star_beside_a_weekday_but_we_take_it_for_a_question_mark() {
        // Only one meaning is possible, and people who come from the other dialects write it.
        assertThrows(IllegalArgumentException.class, () -> quartz("0 0 12 * * MON", "UTC"));
        assertEquals(
                List.of("2026-02-02T12:00:00Z"),
                Given.fires(schedule("cron", "0 0 12 * * MON", "dialect", "QUARTZ"), START, 1));
    }

    @Test
    void spring_takes_a_step_of_sixty_minutes_for_the_hour_but_quartz_and_we_refuse_it() {
        // Whoever writes */90 expects ninety minutes, and would get sixty.
        assertEquals(List.of("2026-01-31T23:00:00Z"), fires(spring("0 */90 * * * *", "UTC"), START, 1));
        assertThrows(IllegalArgumentException.class, () -> quartz("0 0/90 * * * ?", "UTC"));
        assertThrows(ScheduleException.class, () -> schedule("cron", "0 */90 * * * *", "dialect", "SPRING"));
    }

    @Test
    void quartz_leaves_a_hole_of_an_hour_in_an_overlap_but_we_fire_throughout() {
        String often = "0 0/20 * * * ?";
        String before = "2026-10-24T23:39:00Z";
        assertEquals(
                List.of("2026-10-24T23:40:00Z", "2026-10-25T01:00:00Z"),
                fires(quartz(often, "Europe/Berlin"), before, 2));
        assertEquals(
                List.of("2026-10-24T23:40:00Z", "2026-10-25T00:00:00Z"),
                Given.fires(schedule("cron", often, "zone", "Europe/Berlin"), before, 2));
    }

    @Test
    void spring_loses_a_day_that_begins_with_a_gap_but_we_fire_at_its_other_hours() {
        // Egypt's clocks go from 00:00 to 01:00; Spring then looks for the next match from the following day on.
        String evenHours = "0 0 */2 * * *";
        String before = "2026-04-23T20:30:00Z";
        assertEquals(List.of("2026-04-24T21:00:00Z"), fires(spring(evenHours, "Africa/Cairo"), before, 1));
        assertEquals(
                List.of("2026-04-23T23:00:00Z"),
                Given.fires(schedule("cron", evenHours, "zone", "Africa/Cairo"), before, 1));
    }

    @Test
    void spring_leaves_out_31W_where_the_31st_is_a_Sunday_but_quartz_and_we_take_the_Friday() {
        String before = "2026-05-01T00:00:00Z";
        assertEquals(List.of("2026-07-31T00:00:00Z"), fires(spring("0 0 0 31W * ?", "UTC"), before, 1));
        assertEquals(List.of("2026-05-29T00:00:00Z"), fires(quartz("0 0 0 31W * ?", "UTC"), before, 1));
        assertEquals(List.of("2026-05-29T00:00:00Z"), Given.fires(schedule("cron", "0 0 0 31W * ?"), before, 1));
    }

    @Test
    void spring_goes_back_in_time_for_L_29_in_February_but_we_go_on_to_March() {
        String thirtiethFromLast = "0 0 0 L-29 * *";
        String before = "2026-01-31T00:00:00Z";
        assertEquals(List.of("2026-01-30T00:00:00Z"), fires(spring(thirtiethFromLast, "UTC"), before, 1));
        assertEquals(List.of("2026-03-02T00:00:00Z"), Given.fires(schedule("cron", thirtiethFromLast), before, 1));
    }

    @Test
    void cron_utils_reads_a_wrapped_range_as_its_first_value_but_quartz_and_we_wrap() {
        String night = "0 0 22-2 * * ?";
        List<String> wrapped = List.of("2026-01-31T23:00:00Z", "2026-02-01T00:00:00Z");
        assertEquals(
                List.of("2026-02-01T22:00:00Z", "2026-02-02T22:00:00Z"),
                fires(cronUtils(night, CronType.QUARTZ, "UTC"), START, 2));
        assertEquals(wrapped, fires(quartz(night, "UTC"), START, 2));
        assertEquals(wrapped, Given.fires(schedule("cron", night), START, 2));
        assertThrows(IllegalArgumentException.class, () -> spring("0 0 22-2 * * *", "UTC"));
    }

    @Test
    void cron_utils_throws_at_31W_in_a_short_month_but_we_go_on_to_the_next_long_one() {
        LongUnaryOperator theirs = cronUtils("0 0 0 31W * ?", CronType.QUARTZ, "UTC");
        assertThrows(DateTimeException.class, () -> theirs.applyAsLong(at("2026-02-01T00:00:00Z")));
        assertEquals(
                List.of("2026-03-31T00:00:00Z"),
                Given.fires(schedule("cron", "0 0 0 31W * ?"), "2026-02-01T00:00:00Z", 1));
    }

    @Test
    void quartz_jumps_over_the_rest_of_a_shifted_day_but_we_fire_at_all_its_times() {
        String twice = "0 0 6,18 15W * ?";
        String before = "2026-02-01T00:00:00Z";
        assertEquals(List.of("2026-02-16T06:00:00Z", "2026-03-16T06:00:00Z"), fires(quartz(twice, "UTC"), before, 2));
        assertEquals(
                List.of("2026-02-16T06:00:00Z", "2026-02-16T18:00:00Z"),
                Given.fires(schedule("cron", twice), before, 2));
    }

    private static List<String> fires(LongUnaryOperator next, String after, int count) {
        List<String> fires = new ArrayList<>();
        for (long fire = next.applyAsLong(at(after)); fires.size() < count; fire = next.applyAsLong(fire)) {
            fires.add(Instant.ofEpochMilli(fire).toString());
        }
        return fires;
    }

    private interface Library {
        LongUnaryOperator open(String text);
    }

    private static void compare(Dialect dialect, EnumSet<Feature> features, Pattern except, Library library) {
        Random seeds = new Random(SEED);
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < EXPRESSIONS; i++) {
            long seed = seeds.nextLong();
            String text = new RandomCron(new Random(seed), dialect, features).text();
            if (except.matcher(text).find()) {
                continue;
            }
            List<String> theirs = fires(library, text);
            List<String> ours = ours(text, dialect);
            if (!ours.equals(theirs)) {
                differences.add(text + " seed " + seed + "\n ours   " + ours + "\n theirs " + theirs);
            }
        }
        assertEquals(
                List.of(),
                differences.subList(0, Math.min(3, differences.size())),
                () -> differences.size() + " differ");
    }

    private static List<String> ours(String text, Dialect dialect) {
        try {
            Schedule schedule =
                    Schedules.parse(Given.json("cron", text, "dialect", dialect.name()), Window.from(0), "app/name");
            return Given.fires(schedule, START, FIRES);
        } catch (ScheduleException e) {
            return e.getMessage().contains("never fires") ? List.of() : List.of(e.getMessage());
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
