package io.twinbell.ops.drill;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * All rounds of a drill.
 *
 * @param drill what was typed: the name of a fault, or of a set of them
 * @param brokenOff why not all that were asked for came to their end; null if they did
 */
record Summary(String drill, List<Round> rounds, int asked, String brokenOff) {
    Summary {
        rounds = List.copyOf(rounds);
    }

    boolean passed() {
        return brokenOff == null && rounds.size() == asked && rounds.stream().allMatch(Round::passed);
    }

    long total(ToLongFunction<Round> figure) {
        return rounds.stream().mapToLong(figure).sum();
    }

    /** How long each fault kept the pair from calling, over its rounds. */
    Map<String, Lateness> gaps() {
        Map<String, Lateness> gaps = new LinkedHashMap<>();
        rounds.forEach(round -> gaps.computeIfAbsent(round.scene().fault(), this::gapsOf));
        return gaps;
    }

    private Lateness gapsOf(String fault) {
        return Lateness.of(rounds.stream()
                .filter(round -> round.scene().fault().equals(fault))
                .flatMapToLong(round -> round.gap().millis().stream().map(millis -> millis * 1000)));
    }
}
