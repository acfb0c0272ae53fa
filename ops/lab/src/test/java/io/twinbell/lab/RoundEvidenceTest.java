package io.twinbell.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.lab.stage.RoleAssignment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RoundEvidenceTest {
    private static final int MANY = 210;

    @TempDir
    private Path run;

    @Test
    void the_newest_passed_rounds_and_all_failed_ones_are_kept() throws IOException {
        for (int i = 0; i < MANY; i++) {
            round("passed-" + i, "{\"passed\":true}");
        }
        round("failed", "{\"passed\":false}");
        round("under-way", null);
        RoundEvidence.of(run, "new");
        assertEquals(
                RoundEvidence.KEPT_ROUNDS - 1,
                names().stream().filter(name -> name.startsWith("passed-")).count());
        assertTrue(names().containsAll(List.of("failed", "under-way", "new")), names().toString());
    }

    @Test
    void a_round_that_is_broken_off_says_why_to_people_and_programs() throws IOException {
        RoundEvidence evidence = RoundEvidence.of(run, "drill-1");
        evidence.brokenOff("kill", new RoleAssignment("a", "b", 7), List.of(), "the pair never recovered");
        JsonNode result = RoundJson.read(evidence.directory().resolve("result.json"));
        assertFalse(result.path("passed").asBoolean());
        assertEquals("the pair never recovered", result.path("brokenOff").asText());
        assertEquals(7, result.path("epochBefore").asLong());
        String report = Files.readString(evidence.directory().resolve("report.md"));
        assertTrue(report.contains("kill") && report.contains("the pair never recovered"), report);
    }

    private void round(String name, String result) throws IOException {
        Path round = Files.createDirectories(run.resolve("drills").resolve(name));
        if (result != null) {
            Files.writeString(round.resolve("result.json"), result);
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> rounds = Files.list(run.resolve("drills"))) {
            return rounds.map(round -> round.getFileName().toString()).toList();
        }
    }
}
