package io.twinbell.node.schedule;

import static io.twinbell.node.schedule.ScheduleFixtures.assertFires;
import static io.twinbell.node.schedule.ScheduleFixtures.cron;
import static io.twinbell.node.schedule.ScheduleFixtures.fires;
import static io.twinbell.node.schedule.ScheduleFixtures.json;
import static io.twinbell.node.schedule.ScheduleFixtures.schedule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.schedule.RandomCron.Feature;
import io.twinbell.node.schedule.cron.Dialect;
import io.twinbell.persistence.testing.RandomCases;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class CronReadingTest {
    private static final String START = "2026-01-31T12:34:56Z";
    private static final long SEED = RandomCases.seed(CronReadingTest.class);
    private static final List<String> SPACES = List.of(" ", "  ", "\t", " \t ", "\n", "\r\n");
    private static final List<String> ZONES = List.of("UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe");

    /** Each line: dialect, a way to write it, a plainer way that means the same. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            UNIX   | 5/15 * * * *            | 5,20,35,50 * * * *
            UNIX   | 10-40/15 0 * * *        | 10,25,40 0 * * *
            UNIX   | 0 22-2 * * *            | 0 22,23,0,1,2 * * *
            UNIX   | 0 22-4/3 * * *          | 0 22,1,4 * * *
            UNIX   | 50-5/5 * * * *          | 50,55,0,5 * * * *
            UNIX   | 0 0 1 NOV-FEB *         | 0 0 1 11,12,1,2 *
            UNIX   | 0 0 30-2 * *            | 0 0 30,31,1,2 * *
            UNIX   | 0 0 * * FRI-MON         | 0 0 * * 5,6,0,1
            UNIX   | 0 0 * * 5-7             | 0 0 * * 5,6,0
            UNIX   | 0 0 * * 7-2             | 0 0 * * 0,1,2
            UNIX   | 0 0 * * 0-7             | 0 0 * * *
            UNIX   | 0 0 * * MON/2           | 0 0 * * MON,WED,FRI
            UNIX   | 0 0 * jan,Mar mon       | 0 0 * 1,3 1
            UNIX   | 0 0 ? * 7               | 0 0 * * SUN
            UNIX   | 30 0 0 * * *            | 30 0 0 ? * ?
            UNIX   | 0 0 29W * *             | 0 0 29w * *
            UNIX   | 0 0 * * 5L              | 0 0 * * FRIL
            QUARTZ | 0 0 0 ? * 6             | 0 0 0 ? * FRI
            QUARTZ | 0 0 0 ? * 6#2           | 0 0 0 ? * fri#2
            QUARTZ | 0 0 0 ? * L             | 0 0 0 ? * SAT
            QUARTZ | 0 0 0 ? * 2-6           | 0 0 0 ? * MON-FRI
            QUARTZ | 0 0 0 ? * */2           | 0 0 0 ? * SUN,TUE,THU,SAT
            QUARTZ | 0 0 0 * * MON           | 0 0 0 ? * MON
            QUARTZ | 0 0 0 1 * *             | 0 0 0 1 * ?
            QUARTZ | 0 0 0 1 1 ? 2027/2      | 0 0 0 1 1 ? 2027-2199/2
            QUARTZ | 0 0 12 1/1 1/12 ? *     | 0 0 12 * 1 ?
            QUARTZ | 0 0 0 L-0 * ?           | 0 0 0 L * ?
            QUARTZ | 0 /5 /2 * * ?           | 0 */5 */2 * * ?
            QUARTZ | 0 0 0 /10 /3 ?          | 0 0 0 */10 */3 ?
            SPRING | 0 0 0 * * 0             | 0 0 0 * * 7
            SPRING | 0 0 0 * * MON/2         | 0 0 0 * * MON,WED,FRI,SUN
            SPRING | 0 0 0 * * SAT-TUE       | 0 0 0 * * SAT,SUN,MON,TUE
            SPRING | @weekly                 | 0 0 0 * * SUN
            QUARTZ | @yearly                 | 0 0 0 1 1 ?
            UNIX   | @ANNUALLY               | 0 0 1 1 *
            UNIX   | @monthly                | 0 0 1 * *
            UNIX   | @midnight               | 0 0 * * *
            UNIX   | @hourly                 | 0 * * * *
            """)
    void two_ways_to_write_the_same(String dialect, String expression, String plain) {
        assertEquals(
                fires(schedule("cron", plain, "dialect", dialect), START, 40),
                fires(schedule("cron", expression, "dialect", dialect), START, 40));
    }

    @Test
    void white_space_around_and_between_fields_does_not_matter() {
        assertEquals(fires(cron("0 0 1 1 *"), START, 3), fires(cron(" \t0   0\t1 \n 1 * "), START, 3));
    }

    @Test
    void in_unix_both_day_fields_restricted_means_either() {
        assertFires(cron("0 0 1 * MON"), START, "2026-02-01T00:00:00Z", "2026-02-02T00:00:00Z", "2026-02-09T00:00:00Z");
    }

    @Test
    void in_unix_a_star_with_a_step_restricts_its_field() {
        assertFires(
                cron("0 0 */2 * MON"), START, "2026-02-01T00:00:00Z", "2026-02-02T00:00:00Z", "2026-02-03T00:00:00Z");
    }

    @Test
    void in_spring_both_day_fields_restricted_means_both() {
        assertFires(
                schedule("cron", "0 0 0 13 * FRI", "dialect", "SPRING"),
                START,
                "2026-02-13T00:00:00Z",
                "2026-03-13T00:00:00Z",
                "2026-11-13T00:00:00Z");
    }

    @Test
    void special_days_are_found_in_every_month_that_has_them() {
        assertFires(cron("0 0 0 L-3 * ?"), START, "2026-02-25T00:00:00Z", "2026-03-28T00:00:00Z");
        assertFires(cron("0 0 0 LW * ?"), START, "2026-02-27T00:00:00Z", "2026-03-31T00:00:00Z");
        assertFires(cron("0 0 0 15W * ?"), START, "2026-02-16T00:00:00Z", "2026-03-16T00:00:00Z");
        assertFires(cron("0 0 0 1W * ?"), START, "2026-02-02T00:00:00Z", "2026-03-02T00:00:00Z");
        assertFires(cron("0 0 0 31W * ?"), START, "2026-03-31T00:00:00Z", "2026-05-29T00:00:00Z");
        assertFires(cron("0 0 0 ? * FRI#2"), START, "2026-02-13T00:00:00Z", "2026-03-13T00:00:00Z");
        assertFires(cron("0 0 0 ? * FRIL"), START, "2026-02-27T00:00:00Z", "2026-03-27T00:00:00Z");
        assertFires(cron("0 0 0 ? 2 FRI#5"), START, "2036-02-29T00:00:00Z", "2064-02-29T00:00:00Z");
    }

    @Test
    void special_days_may_stand_in_lists() {
        assertFires(
                cron("0 0 0 1,15W,L * ?"),
                START,
                "2026-02-01T00:00:00Z",
                "2026-02-16T00:00:00Z",
                "2026-02-28T00:00:00Z");
        assertFires(
                cron("0 0 0 ? 2 MON#1,FRI#2,FRIL"),
                START,
                "2026-02-02T00:00:00Z",
                "2026-02-13T00:00:00Z",
                "2026-02-27T00:00:00Z");
    }

    @Test
    void a_leap_day_is_found_decades_away_and_over_a_century_without_one() {
        assertEquals(List.of("2096-02-29T00:00:00Z"), fires(cron("0 0 0 29 2 ? 2096"), START, 2));
        assertFires(cron("0 0 29 2 *"), "2095-01-01T00:00:00Z", "2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z");
    }

    @Test
    void nothing_fires_after_the_year_2199() {
        assertEquals(List.of("2199-12-31T00:00:00Z"), fires(cron("0 0 31 12 *"), "2199-01-01T00:00:00Z", 5));
    }

    @Test
    void six_fields_without_a_dialect_are_taken_where_all_dialects_agree() {
        for (String expression : List.of(
                "0 30 2 * * ?", "*/10 * * * * *", "0 0 9 ? * MON-FRI", "0 0 9 * * MON", "0 0 0 L * ?", "0 0 9 ? * H")) {
            Set<List<String>> meanings = new HashSet<>();
            for (Dialect dialect : Dialect.values()) {
                meanings.add(fires(schedule("cron", expression, "dialect", dialect.name()), START, 20));
            }
            meanings.add(fires(cron(expression), START, 20));
            assertEquals(1, meanings.size(), expression);
        }
    }

    @Test
    void a_prefix_names_the_zone_as_the_member_does() {
        List<String> expected = List.of("2026-02-01T01:30:00Z");
        assertEquals(expected, fires(cron("CRON_TZ=Europe/Berlin 30 2 * * *"), START, 1));
        assertEquals(expected, fires(cron("TZ=Europe/Berlin 0 30 2 * * ?"), START, 1));
        assertEquals(expected, fires(schedule("cron", "30 2 * * *", "zone", "Europe/Berlin"), START, 1));
        assertEquals(
                expected, fires(schedule("cron", "TZ=Europe/Berlin 30 2 * * *", "zone", "Europe/Berlin"), START, 1));
    }

    @Test
    void every_runs_on_a_grid_from_the_start() {
        Schedule schedule = schedule(Window.from(ScheduleFixtures.at("2026-01-01T00:00:07Z")), "cron", "@every 1h30m");
        assertFires(schedule, "2026-01-01T00:00:07Z", "2026-01-01T01:30:07Z");
    }

    @Test
    void H_is_the_same_for_ever_for_one_task() {
        assertFires(cron("H H * * *"), START, "2026-02-01T00:22:00Z");
    }

    @Test
    void H_keeps_to_its_range_and_step() {
        for (int i = 0; i < 200; i++) {
            Schedule schedule = Schedules.parse(json("cron", "H/20 H(1-3) H * *"), Window.from(0), "app/" + i);
            List<String> fires = fires(schedule, "2026-02-01T00:00:00Z", 3);
            int minute = Integer.parseInt(fires.get(0).substring(14, 16));
            int hour = Integer.parseInt(fires.get(0).substring(11, 13));
            assertEquals(true, minute < 20 && hour >= 1 && hour <= 3, fires.toString());
            assertEquals(fires.get(0).substring(0, 14), fires.get(2).substring(0, 14), "three in one hour");
        }
    }

    @Test
    void H_spreads_tasks_over_the_field() {
        Set<List<String>> minutes = new HashSet<>();
        for (int i = 0; i < 600; i++) {
            minutes.add(fires(Schedules.parse(json("cron", "H * * * *"), Window.from(0), "app/job-" + i), START, 1));
        }
        assertEquals(60, minutes.size());
        assertNotEquals(
                fires(Schedules.parse(json("cron", "H H * * *"), Window.from(0), "app/a"), START, 1),
                fires(Schedules.parse(json("cron", "H H * * *"), Window.from(0), "app/b"), START, 1));
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void two_spellings_mean_the_same(Dialect dialect) {
        Random seeds = new Random(SEED);
        for (int i = 0; i < RandomCases.count(1_000, 20_000); i++) {
            long seed = seeds.nextLong();
            Random random = new Random(seed);
            EnumSet<Feature> features = EnumSet.complementOf(EnumSet.of(Feature.ONE_TIME));
            String text = new RandomCron(random, dialect, features).text();
            String zone = ZONES.get(random.nextInt(ZONES.size()));
            String other = respelled(text, random);
            String prefix = random.nextBoolean() ? "CRON_TZ=" : "tz=";
            assertEquals(
                    meaning(ScheduleFixtures.json("cron", text, "dialect", dialect.name(), "zone", zone)),
                    meaning(ScheduleFixtures.json("cron", prefix + zone + " " + other, "dialect", dialect.name())),
                    () -> text + " and " + other + ", seed " + seed);
        }
    }

    private static String respelled(String text, Random random) {
        String letters = text.chars()
                .mapToObj(c -> String.valueOf((char) c))
                .map(c -> random.nextBoolean() ? c.toLowerCase(Locale.ROOT) : c.toUpperCase(Locale.ROOT))
                .collect(Collectors.joining());
        StringBuilder spelled = new StringBuilder(random.nextBoolean() ? "" : space(random));
        for (String word : letters.split(" ")) {
            boolean plain = word.matches("[0-9]{1,2}");
            spelled.append(plain && random.nextBoolean() ? "0" : "")
                    .append(word)
                    .append(space(random));
        }
        return spelled.toString();
    }

    private static String space(Random random) {
        return SPACES.get(random.nextInt(SPACES.size()));
    }

    private static List<String> meaning(JsonNode schedule) {
        try {
            return ScheduleFixtures.fires(Schedules.parse(schedule, Window.from(0), "app/name"), START, 5);
        } catch (ScheduleException e) {
            return List.of(e.getMessage().contains("never fires") ? "never" : e.getMessage());
        }
    }
}
