package io.twinbell.ops.drill;

import java.util.List;
import java.util.function.ToLongFunction;

/**
 * All rounds of a drill.
 *
 * @param brokenOff why not all that were asked for came to their end; null if they did
 */
record Summary(List<Round> rounds, int asked, String brokenOff) {
    Summary {
        rounds = List.copyOf(rounds);
    }

    boolean passed() {
        return brokenOff == null && rounds.size() == asked && rounds.stream().allMatch(Round::passed);
    }

    long total(ToLongFunction<Round> figure) {
        return rounds.stream().mapToLong(figure).sum();
    }

    /** From the kill to the first call of the new master, over the rounds that had one. */
    Lateness gaps() {
        return Lateness.of(rounds.stream()
                .flatMapToLong(round -> round.takeover().call().stream().map(millis -> millis * 1000)));
    }
}
