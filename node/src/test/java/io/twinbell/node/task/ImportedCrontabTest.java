package io.twinbell.node.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import org.junit.jupiter.api.Test;

/** What the import of a crontab lists, the API accepts, and times that it does not list, the API refuses. */
class ImportedCrontabTest {
    private static final long NOW = Instant.parse("2026-02-01T00:00:00Z").toEpochMilli();
    private static final int LINES = RandomCases.count(10_000, 400_000);
    private static final Crontab.Options OPTIONS = new Crontab.Options("host", "Europe/Berlin", false, null, false);
    private static final List<String> NUMBERS = List.of(
            "0", "1", "2", "5", "6", "7", "8", "12", "13", "23", "24", "28", "29", "30", "31", "32", "59", "60", "007",
            "00031", "000001", "123", "mon", "SUN", "sat", "feb", "Apr", "dec", "may", "");

    private static List<ImportCandidate> imported(String crontab) {
        return ImportChecks.checked(Crontab.read(crontab, OPTIONS));
    }

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
            ImportCandidate one = imported(times + " x").get(0);
            if (one.isTaken()) {
                assertEquals("", refusal(one.task().toString()), times);
                taken++;
            } else if (!times.contains("~")) {
                String task = """
                        {"app":"a","name":"x","schedule":{"cron":"%s","dialect":"UNIX"},"handler":{"type":"log"}}""";
                assertNotEquals("", refusal(task.formatted(times)), times);
            }
        }
        assertTrue(taken > LINES / 20 && taken < LINES, taken + " of " + LINES);
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
