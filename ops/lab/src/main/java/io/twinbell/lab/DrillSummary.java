package io.twinbell.lab;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * The result of all rounds of a drill.
 *
 * @param drill the name as typed: of a fault, or of a set of faults
 * @param brokenOff the rounds that were broken off, and why
 * @param skipped the faults that are not possible on this machine, with the reason
 * @param took from the preparation of the first round to the end of the last one
 */
record DrillSummary(
        String drill, List<RoundResult> rounds, List<String> brokenOff, List<String> skipped, Duration took) {
    DrillSummary {
        rounds = List.copyOf(rounds);
        brokenOff = List.copyOf(brokenOff);
        skipped = List.copyOf(skipped);
    }

    /** Whether there were rounds, and all of them passed. */
    boolean passed() {
        return brokenOff.isEmpty() && !rounds.isEmpty() && rounds.stream().allMatch(RoundResult::passed);
    }

    /** Whether every round was skipped, because this machine lacks its requirements. */
    boolean wasSkipped() {
        return brokenOff.isEmpty() && rounds.isEmpty() && !skipped.isEmpty();
    }

    /** Load averages of the machine when the faults struck. */
    Lateness loads() {
        return Lateness.of(
                rounds.stream().filter(round -> round.scene().load() >= 0).mapToLong(round ->
                        (long) (round.scene().load() * 1000)));
    }

    long total(ToLongFunction<RoundResult> figure) {
        return rounds.stream().mapToLong(figure).sum();
    }

    /** By fault: the gaps without calls, over its rounds. */
    Map<String, Lateness> gaps() {
        Map<String, Lateness> gaps = new LinkedHashMap<>();
        rounds.forEach(round -> gaps.computeIfAbsent(round.scene().fault(), this::gapsOf));
        return gaps;
    }

    /** By fault: the delays until orphaned runs were called again; no entry if there were none. */
    Map<String, Lateness> reruns() {
        Map<String, Lateness> reruns = new LinkedHashMap<>();
        rounds.stream()
                .filter(round -> !round.gap().rerunDelay().isEmpty())
                .forEach(round -> reruns.computeIfAbsent(round.scene().fault(), this::rerunsOf));
        return reruns;
    }

    private Lateness rerunsOf(String fault) {
        return Lateness.of(roundsOf(fault)
                .flatMap(round -> round.gap().rerunDelay().micros().stream())
                .mapToLong(Long::longValue));
    }

    private Lateness gapsOf(String fault) {
        return Lateness.of(roundsOf(fault)
                .flatMapToLong(round -> round.gap().millis().stream().map(millis -> millis * 1000)));
    }

    private Stream<RoundResult> roundsOf(String fault) {
        return rounds.stream().filter(round -> round.scene().fault().equals(fault));
    }
}
