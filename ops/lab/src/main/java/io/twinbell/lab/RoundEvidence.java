package io.twinbell.lab;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.lab.stage.DrillEvent;
import io.twinbell.lab.stage.RoleAssignment;
import io.twinbell.tools.check.Violation;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Writes a round's evidence to {@code run/drills/<app>}: the receiver's log, the ledger, the violations and a report.
 */
final class RoundEvidence {
    /** How many passed rounds are kept. */
    static final int KEPT_ROUNDS = 200;

    /** How many failed rounds are kept, for investigation. */
    private static final int KEPT_OTHERS = 1000;

    private static final String RESULT = "result.json";

    private final Path directory;

    private RoundEvidence(Path directory) {
        this.directory = directory;
    }

    static RoundEvidence of(Path run, String app) throws IOException {
        Path drills = Files.createDirectories(run.resolve("drills"));
        removeOldest(drills, RoundEvidence::hasPassed, KEPT_ROUNDS);
        removeOldest(drills, round -> !hasPassed(round), KEPT_OTHERS);
        return new RoundEvidence(Files.createDirectory(drills.resolve(app)));
    }

    Path directory() {
        return directory;
    }

    Path receiverLog() {
        return directory.resolve("receiver.log");
    }

    void ledger(List<JsonNode> executions) throws IOException {
        Files.write(
                directory.resolve("ledger.ndjson"),
                executions.stream().map(JsonNode::toString).toList());
    }

    /** Writes {@code report.md} with {@code timeline.svg} for people, and {@code result.json} for programs. */
    void report(RoundResult round, RoundChecker.Verdict verdict) throws IOException {
        StringWriter text = new StringWriter();
        new RoundText(new PrintWriter(text)).print(round);
        RoundResult.Scene scene = round.scene();
        Files.writeString(
                directory.resolve("report.md"),
                "# Drill: " + scene.fault() + "\n\n"
                        + "Fault at " + Instant.ofEpochMilli(scene.faultMicros() / 1000) + ", while"
                        + " node " + round.roles().master() + " was master in epoch "
                        + round.roles().epoch() + ".\n\n![Roles and calls around the fault](timeline.svg)\n\n```\n"
                        + text + "```\n");
        Files.writeString(
                directory.resolve("timeline.svg"),
                TimelineSvg.of(
                        round.roles(),
                        scene.marks(),
                        verdict.changes(),
                        verdict.history().calls()));
        Files.writeString(directory.resolve(RESULT), RoundJson.of(round).toPrettyString() + "\n");
    }

    /** Writes the evidence of a round that was broken off. */
    void brokenOff(String fault, RoleAssignment roles, List<DrillEvent> marks, String why) throws IOException {
        Files.writeString(
                directory.resolve("report.md"),
                "# Drill: " + fault + "\n\nAborted while node " + roles.master() + " was master in epoch "
                        + roles.epoch() + ": " + why + "\n");
        Files.writeString(
                directory.resolve(RESULT),
                RoundJson.brokenOff(fault, roles, marks, why).toPrettyString() + "\n");
    }

    void violations(List<Violation> offences) throws IOException {
        Files.write(
                directory.resolve("offences.txt"),
                offences.stream().map(Violation::toString).toList());
    }

    private static void removeOldest(Path drills, Predicate<Path> which, int kept) throws IOException {
        try (Stream<Path> rounds = Files.list(drills)) {
            List<Path> newestFirst = rounds.filter(which)
                    .sorted(Comparator.comparingLong(RoundEvidence::modified).reversed())
                    .toList();
            for (Path old : newestFirst.subList(Math.min(kept - 1, newestFirst.size()), newestFirst.size())) {
                remove(old);
            }
        }
    }

    private static boolean hasPassed(Path round) {
        try {
            return RoundJson.read(round.resolve(RESULT)).path("passed").asBoolean();
        } catch (IOException e) {
            return false;
        }
    }

    private static long modified(Path path) {
        return path.toFile().lastModified();
    }

    private static void remove(Path round) throws IOException {
        try (Stream<Path> files = Files.walk(round)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
