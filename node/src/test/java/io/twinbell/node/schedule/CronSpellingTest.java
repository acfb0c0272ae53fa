package io.twinbell.node.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.schedule.RandomCron.Feature;
import io.twinbell.node.schedule.cron.Dialect;
import io.twinbell.node.schedule.custom.ScheduleTypes;
import io.twinbell.persistence.testing.RandomCases;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** However an expression is spelled, it means the same: case, white space, prefixes, leading zeros. */
class CronSpellingTest {
    private static final long SEED = RandomCases.seed(CronSpellingTest.class);
    private static final String START = "2026-01-31T22:59:30Z";
    private static final List<String> SPACES = List.of(" ", "  ", "\t", " \t ", "\n", "\r\n");
    private static final List<String> ZONES = List.of("UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe");

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
                    fires(ScheduleFixtures.json("cron", text, "dialect", dialect.name(), "zone", zone)),
                    fires(ScheduleFixtures.json("cron", prefix + zone + " " + other, "dialect", dialect.name())),
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

    private static List<String> fires(JsonNode schedule) {
        try {
            return ScheduleFixtures.fires(
                    Schedules.parse(schedule, Window.from(0), "app/name", ScheduleTypes.NONE), START, 5);
        } catch (ScheduleException e) {
            return List.of(e.getMessage().contains("never fires") ? "never" : e.getMessage());
        }
    }
}
