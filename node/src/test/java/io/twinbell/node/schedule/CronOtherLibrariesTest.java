package io.twinbell.node.schedule;

import static io.twinbell.node.schedule.OtherLibraries.cronUtils;
import static io.twinbell.node.schedule.OtherLibraries.cronUtilsBackwards;
import static io.twinbell.node.schedule.OtherLibraries.quartz;
import static io.twinbell.node.schedule.OtherLibraries.quartzBackwards;
import static io.twinbell.node.schedule.OtherLibraries.spring;
import static io.twinbell.node.schedule.ScheduleFixtures.assertFires;
import static io.twinbell.node.schedule.ScheduleFixtures.at;
import static io.twinbell.node.schedule.ScheduleFixtures.fires;
import static io.twinbell.node.schedule.ScheduleFixtures.json;
import static io.twinbell.node.schedule.ScheduleFixtures.schedule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.cronutils.model.CronType;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.schedule.RandomCron.Feature;
import io.twinbell.node.schedule.cron.Dialect;
import io.twinbell.persistence.testing.RandomCases;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * Compares with Quartz 2.5.2, Spring 6.2.11 and cron-utils 9.2.1: the same fires in UTC for whatever they can read, and each
 * known disagreement by name, with who is right.
 */
class CronOtherLibrariesTest {
    private static final long SEED = RandomCases.seed(CronOtherLibrariesTest.class);
    private static final Pattern NOTHING = Pattern.compile("(?!)");
    private static final int EXPRESSIONS = RandomCases.count(1_000, 20_000);
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
        // Without wraps, which it refuses; and without SUN-SUN, L-28 to L-30 and 28W to 31W, see below.
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
        // Without ranges from Sunday on: it makes 7 of SUN and then refuses 7-6. And without */1, see below.
        EnumSet<Feature> features = EnumSet.of(Feature.BOTH_DAY_FIELDS);
        compare(Dialect.UNIX, features, Pattern.compile("SUN-|\\*/1 "), text -> cronUtils(text, CronType.UNIX, "UTC"));
    }

    @Test
    void going_back_quartz_and_cron_utils_find_the_same_times() {
        EnumSet<Feature> quartz =
                EnumSet.of(Feature.SECONDS, Feature.WRAPS, Feature.LAST_OFFSET, Feature.SPECIAL_DAYS, Feature.YEARS);
        compareBackwards(Dialect.QUARTZ, quartz, NOTHING, text -> quartzBackwards(text, "UTC"));
        EnumSet<Feature> cronUtils = EnumSet.of(Feature.SECONDS, Feature.LAST_OFFSET, Feature.SPECIAL_DAYS);
        compareBackwards(Dialect.QUARTZ, cronUtils, NOTHING, text -> cronUtilsBackwards(text, CronType.QUARTZ, "UTC"));
        compareBackwards(
                Dialect.UNIX,
                EnumSet.of(Feature.BOTH_DAY_FIELDS),
                Pattern.compile("SUN-|\\*/1 "),
                text -> cronUtilsBackwards(text, CronType.UNIX, "UTC"));
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
        assertFires(
                schedule("cron", daily, "zone", "Europe/Berlin"),
                before,
                "2026-03-28T01:30:00Z",
                "2026-03-29T01:00:00Z");
        assertEquals(skipped, fires(schedule("cron", daily, "zone", "Europe/Berlin", "dstGap", "SKIP"), before, 2));
    }

    @Test
    void in_an_overlap_quartz_takes_the_second_and_spring_both_but_we_the_first() {
        // The first is on time by the clock on the wall, the second an hour late; both would run a nightly job twice.
        String daily = "0 30 2 * * ?";
        String first = "2026-10-25T00:30:00Z";
        String second = "2026-10-25T01:30:00Z";
        String before = "2026-10-25T00:00:00Z";
        assertFires(quartz(daily, "Europe/Berlin"), before, second);
        assertFires(spring(daily, "Europe/Berlin"), before, first, second);
        assertFires(cronUtils(daily, CronType.QUARTZ, "Europe/Berlin"), before, first);
        assertFires(schedule("cron", daily, "zone", "Europe/Berlin"), before, first, "2026-10-26T01:30:00Z");
    }

    @Test
    void quartz_refuses_a_star_beside_a_weekday_but_we_take_it_for_a_question_mark() {
        // Only one meaning is possible, and people who come from the other dialects write it.
        assertThrows(IllegalArgumentException.class, () -> quartz("0 0 12 * * MON", "UTC"));
        assertFires(schedule("cron", "0 0 12 * * MON", "dialect", "QUARTZ"), START, "2026-02-02T12:00:00Z");
    }

    @Test
    void spring_takes_a_step_of_sixty_minutes_for_the_hour_but_quartz_and_we_refuse_it() {
        // The author of */90 expects ninety minutes, and would get sixty.
        assertFires(spring("0 */90 * * * *", "UTC"), START, "2026-01-31T23:00:00Z");
        assertThrows(IllegalArgumentException.class, () -> quartz("0 0/90 * * * ?", "UTC"));
        assertThrows(ScheduleException.class, () -> schedule("cron", "0 */90 * * * *", "dialect", "SPRING"));
    }

    @Test
    void quartz_leaves_a_hole_of_an_hour_in_an_overlap_but_we_fire_throughout() {
        String often = "0 0/20 * * * ?";
        String before = "2026-10-24T23:39:00Z";
        assertFires(quartz(often, "Europe/Berlin"), before, "2026-10-24T23:40:00Z", "2026-10-25T01:00:00Z");
        assertFires(
                schedule("cron", often, "zone", "Europe/Berlin"),
                before,
                "2026-10-24T23:40:00Z",
                "2026-10-25T00:00:00Z");
    }

    @Test
    void spring_loses_a_day_that_begins_with_a_gap_but_we_fire_at_its_other_hours() {
        // Egypt's clocks go from 00:00 to 01:00; Spring then looks for the next match from the following day on.
        String evenHours = "0 0 */2 * * *";
        String before = "2026-04-23T20:30:00Z";
        assertFires(spring(evenHours, "Africa/Cairo"), before, "2026-04-24T21:00:00Z");
        assertFires(schedule("cron", evenHours, "zone", "Africa/Cairo"), before, "2026-04-23T23:00:00Z");
    }

    @Test
    void spring_loses_the_day_after_a_gap_at_the_last_hour_but_we_fire_on_it() {
        // At 02:00 on 30 March the clocks go to 03:00; Spring then finds no hour left and skips one day too many.
        String before = "2025-03-30T00:00:00Z";
        String atMidnightAndTwo = "0 0 0,2 * * *";
        assertFires(spring(atMidnightAndTwo, "Europe/Berlin"), before, "2025-03-31T22:00:00Z");
        assertFires(
                schedule("cron", atMidnightAndTwo, "zone", "Europe/Berlin", "dstGap", "SKIP"),
                before,
                "2025-03-30T22:00:00Z");
    }

    @Test
    void spring_loses_the_minutes_after_a_gap_that_ends_within_an_hour_but_we_fire_at_them() {
        // The Chatham Islands go from 02:45 to 03:45.
        String at52 = "0 52 3 * * *";
        String before = "2026-09-26T13:00:00Z";
        assertFires(spring(at52, "Pacific/Chatham"), before, "2026-09-27T14:07:00Z");
        assertFires(schedule("cron", at52, "zone", "Pacific/Chatham"), before, "2026-09-26T14:07:00Z");
    }

    @Test
    void spring_takes_an_hour_of_the_second_pass_of_a_two_hour_overlap_for_gone_but_we_may_repeat_it() {
        // Troll goes from 03:00 back to 01:00.
        String atOne = "0 0 1 * * *";
        String before = "2026-10-24T22:00:00Z";
        String first = "2026-10-24T23:00:00Z";
        assertFires(spring(atOne, "Antarctica/Troll"), before, first, "2026-10-26T01:00:00Z");
        assertFires(
                schedule("cron", atOne, "zone", "Antarctica/Troll", "dstOverlap", "TWICE"),
                before,
                first,
                "2026-10-25T01:00:00Z");
    }

    @Test
    void spring_fires_on_the_day_after_a_day_that_never_was_but_we_only_if_so_chosen() {
        // Apia had no 30 December 2011, the last weekday of that month.
        String lastWeekday = "0 0 6 LW 12 *";
        String before = "2011-12-29T00:00:00Z";
        assertFires(spring(lastWeekday, "Pacific/Apia"), before, "2011-12-30T16:00:00Z");
        assertFires(schedule("cron", lastWeekday, "zone", "Pacific/Apia"), before, "2011-12-30T10:00:00Z");
        assertFires(
                schedule("cron", lastWeekday, "zone", "Pacific/Apia", "dstGap", "SKIP"),
                before,
                "2012-12-30T16:00:00Z");
    }

    @Test
    void quartz_misses_an_offset_from_the_last_before_the_first_day_of_its_list_but_we_do_not() {
        String list = "0 0 0 L-13,16 * ?";
        String before = "2026-02-01T00:00:00Z";
        assertFires(quartz(list, "UTC"), before, "2026-02-16T00:00:00Z");
        assertFires(schedule("cron", list), before, "2026-02-15T00:00:00Z");
    }

    @Test
    void quartz_ignores_the_step_behind_a_name_but_spring_and_we_take_it() {
        String everyOther = "0 0 0 ? * MON-FRI/2";
        assertFires(quartz(everyOther, "UTC"), START, "2026-02-02T00:00:00Z", "2026-02-03T00:00:00Z");
        List<String> stepped = List.of("2026-02-02T00:00:00Z", "2026-02-04T00:00:00Z");
        assertEquals(stepped, fires(spring(everyOther, "UTC"), START, 2));
        assertEquals(stepped, fires(schedule("cron", everyOther), START, 2));
        assertFires(quartz("0 0 0 1 JAN/3 ?", "UTC"), START, "2027-01-01T00:00:00Z");
        assertFires(schedule("cron", "0 0 0 1 JAN/3 ?"), "2026-02-01T00:00:00Z", "2026-04-01T00:00:00Z");
    }

    @Test
    void quartz_reads_on_over_what_it_does_not_know_but_we_refuse_it() {
        for (String sloppy : List.of("0 0 12 ? * MONDAY", "0 0 12 5-10W * ?", "0 0 12 ? * L-3", "0 0 12 1 JANUARY ?")) {
            assertEquals(1, fires(quartz(sloppy, "UTC"), START, 1).size(), sloppy);
            assertThrows(ScheduleException.class, () -> schedule("cron", sloppy, "dialect", "QUARTZ"), sloppy);
        }
    }

    @Test
    void quartz_takes_one_special_weekday_but_spring_and_we_lists_of_them() {
        String list = "0 0 12 ? * MON#1,FRI#2";
        assertThrows(IllegalArgumentException.class, () -> quartz(list, "UTC"));
        List<String> both = List.of("2026-02-02T12:00:00Z", "2026-02-13T12:00:00Z");
        assertEquals(both, fires(spring(list, "UTC"), START, 2));
        assertEquals(both, fires(schedule("cron", list), START, 2));
    }

    @Test
    void spring_never_fires_on_a_sixth_Friday_but_we_refuse_it() {
        assertEquals(Schedule.NEVER, spring("0 0 0 * * FRI#6", "UTC").applyAsLong(at(START)));
        assertThrows(ScheduleException.class, () -> schedule("cron", "0 0 0 * * FRI#6", "dialect", "SPRING"));
    }

    @Test
    void spring_takes_SUN_SUN_for_the_whole_week_but_we_for_Sunday() {
        // MON-MON is Monday for both of us.
        String sunday = "0 0 0 * * SUN-SUN";
        assertFires(spring(sunday, "UTC"), START, "2026-02-01T00:00:00Z", "2026-02-02T00:00:00Z");
        assertFires(
                schedule("cron", sunday, "dialect", "SPRING"), START, "2026-02-01T00:00:00Z", "2026-02-08T00:00:00Z");
    }

    @Test
    void cron_utils_takes_a_step_of_one_for_a_bare_star_but_for_us_it_restricts() {
        // Only a bare star leaves a day field open: that is a rule one can see.
        String text = "0 0 */1 * MON";
        assertFires(cronUtils(text, CronType.UNIX, "UTC"), START, "2026-02-02T00:00:00Z");
        assertFires(schedule("cron", text), START, "2026-02-01T00:00:00Z");
    }

    @Test
    void spring_leaves_out_31W_where_the_31st_is_a_Sunday_but_quartz_and_we_take_the_Friday() {
        String before = "2026-05-01T00:00:00Z";
        assertFires(spring("0 0 0 31W * ?", "UTC"), before, "2026-07-31T00:00:00Z");
        assertFires(quartz("0 0 0 31W * ?", "UTC"), before, "2026-05-29T00:00:00Z");
        assertFires(schedule("cron", "0 0 0 31W * ?"), before, "2026-05-29T00:00:00Z");
    }

    @Test
    void spring_goes_back_in_time_for_L_29_in_February_but_we_go_on_to_March() {
        String thirtiethFromLast = "0 0 0 L-29 * *";
        String before = "2026-01-31T00:00:00Z";
        assertFires(spring(thirtiethFromLast, "UTC"), before, "2026-01-30T00:00:00Z");
        assertFires(schedule("cron", thirtiethFromLast), before, "2026-03-02T00:00:00Z");
    }

    @Test
    void cron_utils_reads_a_wrapped_range_as_its_first_value_but_quartz_and_we_wrap() {
        String night = "0 0 22-2 * * ?";
        List<String> wrapped = List.of("2026-01-31T23:00:00Z", "2026-02-01T00:00:00Z");
        assertFires(cronUtils(night, CronType.QUARTZ, "UTC"), START, "2026-02-01T22:00:00Z", "2026-02-02T22:00:00Z");
        assertEquals(wrapped, fires(quartz(night, "UTC"), START, 2));
        assertEquals(wrapped, fires(schedule("cron", night), START, 2));
        assertThrows(IllegalArgumentException.class, () -> spring("0 0 22-2 * * *", "UTC"));
    }

    @Test
    void cron_utils_throws_at_31W_in_a_short_month_but_we_go_on_to_the_next_long_one() {
        LongUnaryOperator theirs = cronUtils("0 0 0 31W * ?", CronType.QUARTZ, "UTC");
        assertThrows(DateTimeException.class, () -> theirs.applyAsLong(at("2026-02-01T00:00:00Z")));
        assertFires(schedule("cron", "0 0 0 31W * ?"), "2026-02-01T00:00:00Z", "2026-03-31T00:00:00Z");
    }

    @Test
    void quartz_jumps_over_the_rest_of_a_shifted_day_but_we_fire_at_all_its_times() {
        String twice = "0 0 6,18 15W * ?";
        String before = "2026-02-01T00:00:00Z";
        assertFires(quartz(twice, "UTC"), before, "2026-02-16T06:00:00Z", "2026-03-16T06:00:00Z");
        assertFires(schedule("cron", twice), before, "2026-02-16T06:00:00Z", "2026-02-16T18:00:00Z");
    }

    private interface Library {
        LongUnaryOperator open(String text);
    }

    private static void compare(Dialect dialect, EnumSet<Feature> features, Pattern except, Library library) {
        compare(dialect, features, except, library, EXPRESSIONS, schedule -> schedule::next);
    }

    private static void compareBackwards(Dialect dialect, EnumSet<Feature> features, Pattern except, Library library) {
        compare(dialect, features, except, library, EXPRESSIONS / 5, schedule -> schedule::previous);
    }

    private static void compare(
            Dialect dialect,
            EnumSet<Feature> features,
            Pattern except,
            Library library,
            int expressions,
            Function<Schedule, LongUnaryOperator> walk) {
        Random seeds = new Random(SEED);
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < expressions; i++) {
            long seed = seeds.nextLong();
            String text = new RandomCron(new Random(seed), dialect, features).text();
            if (except.matcher(text).find()) {
                continue;
            }
            List<String> theirs = walked(() -> library.open(text));
            List<String> ours = walked(() -> walk.apply(
                    Schedules.parse(json("cron", text, "dialect", dialect.name()), Window.from(0), "app/name")));
            if (!ours.equals(theirs)) {
                differences.add(text + " seed " + seed + "\n ours   " + ours + "\n theirs " + theirs);
            }
        }
        assertEquals(
                List.of(),
                differences.subList(0, Math.min(3, differences.size())),
                () -> differences.size() + " differ");
    }

    /** A schedule that never fires is for us a refusal, for the others an empty list. */
    private static List<String> walked(Supplier<LongUnaryOperator> opening) {
        List<String> fires = new ArrayList<>();
        try {
            LongUnaryOperator walk = opening.get();
            long fire = walk.applyAsLong(at(START));
            while (fires.size() < FIRES && fire != Schedule.NEVER && fire != Schedule.NONE_BEFORE) {
                fires.add(Instant.ofEpochMilli(fire).toString());
                fire = walk.applyAsLong(fire);
            }
        } catch (ScheduleException e) {
            return e.getMessage().contains("never fires") ? List.of() : List.of(e.getMessage());
        } catch (RuntimeException e) {
            fires.add(e.toString());
        }
        return fires;
    }
}
