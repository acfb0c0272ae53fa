package io.twinbell.node.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.json.ControlCharacterCheck;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.testing.RandomCases;
import io.twinbell.tools.importer.Crontab;
import io.twinbell.tools.importer.ImportCandidate;
import io.twinbell.tools.importer.ImportChecks;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the import of a crontab lists, the API accepts, and times that it does not list, the API refuses. */
class ImportedCrontabTest {
    private static final long NOW = Instant.parse("2026-02-01T00:00:00Z").toEpochMilli();
    private static final int LINES = RandomCases.count(10_000, 400_000);
    private static final List<String> NUMBERS = List.of(
            "0", "1", "2", "5", "6", "7", "8", "12", "13", "23", "24", "28", "29", "30", "31", "32", "59", "60", "007",
            "00031", "000001", "123", "mon", "SUN", "sat", "feb", "Apr", "dec", "may", "");

    /** Why the API refuses the task; empty if it does not. */
    private static String refusal(String json) {
        try {
            JsonNode task = StrictJson.read(json.getBytes(StandardCharsets.UTF_8));
            ControlCharacterCheck.check(task);
            TaskReader.newTask(task, NOW, Calendars.NONE);
            return "";
        } catch (InvalidJsonException e) {
            return e.errors().toString();
        } catch (PayloadTooLargeException e) {
            return e.getMessage();
        }
    }

    @Test
    void random_times_are_listed_if_and_only_if_the_api_accepts_them() {
        Random random = new Random(RandomCases.seed(ImportedCrontabTest.class));
        int taken = 0;
        for (int i = 0; i < LINES; i++) {
            String times =
                    IntStream.range(0, 5).mapToObj(field -> field(random)).collect(Collectors.joining(" "));
            ImportCandidate one = last(times + " x", "host");
            if (one.isTaken()) {
                assertEquals("", refusal(one.task().toString()), times);
                taken++;
            } else if (!times.contains("~") && !hasDayThatCronAloneLeavesOpen(times)) {
                String task = """
                        {"app":"a","name":"x","schedule":{"cron":"%s","dialect":"UNIX"},"handler":{"type":"log"}}""";
                assertNotEquals("", refusal(task.formatted(times)), times);
            }
        }
        assertTrue(taken > LINES / 20 && taken < LINES, taken + " of " + LINES);
    }

    /** To cron, each day field that begins with a star is open, so 31 February with such a weekday never comes. */
    private static boolean hasDayThatCronAloneLeavesOpen(String times) {
        String[] fields = times.split(" ", -1);
        return Stream.of(fields[2], fields[4]).anyMatch(field -> field.startsWith("*") && !field.equals("*"));
    }

    @Test
    void an_entry_at_a_bound_is_listed_and_accepted_and_one_above_it_is_not_listed() {
        assertBound("0,".repeat(99) + "0 * * * * x", "0,".repeat(100) + "0 * * * * x");
        String ranges = "0000-00059,".repeat(90);
        assertBound(ranges + "00 * * * * x", ranges + "000 * * * * x");
        assertBound("SHELL=/bin/sh\n" + variables(100, 1) + "@daily x", variables(101, 1) + "@daily x");
        String variables = variables(16, 3_900);
        assertBound(variables + "@daily " + "x".repeat(3_009), variables + "@daily " + "x".repeat(3_010));
        assertEquals(
                "",
                refusal(last("RANDOM_DELAY=1440\n@daily x", "a".repeat(200))
                        .task()
                        .toString()));
        assertFalse(last("@daily x", "a".repeat(201)).isTaken());
        assertFalse(last("@daily x", "a\tb").isTaken());
    }

    private static String variables(int count, int length) {
        return IntStream.range(0, count)
                .mapToObj(i -> "V" + (100 + i) + "=" + "x".repeat(length) + "\n")
                .collect(Collectors.joining());
    }

    private static void assertBound(String accepted, String above) {
        assertEquals("", refusal(last(accepted, "a").task().toString()));
        assertFalse(last(above, "a").isTaken());
    }

    private static ImportCandidate last(String crontab, String app) {
        Crontab.Options options = new Crontab.Options(app, "Europe/Berlin", false, null, false);
        List<ImportCandidate> all = ImportChecks.checked(Crontab.read(crontab, options));
        return all.get(all.size() - 1);
    }

    private static String field(Random random) {
        String field = entry(random);
        while (random.nextInt(8) == 0) {
            field += "," + entry(random);
        }
        return field;
    }

    private static String entry(Random random) {
        return switch (random.nextInt(12)) {
            case 0, 1, 2, 3, 4, 5 -> "*";
            case 6 -> "*/" + number(random);
            case 7 -> number(random) + "-" + number(random);
            case 8 -> number(random) + "-" + number(random) + "/" + number(random);
            case 9 -> number(random) + "~" + number(random);
            default -> number(random);
        };
    }

    private static String number(Random random) {
        return NUMBERS.get(random.nextInt(NUMBERS.size()));
    }
}
