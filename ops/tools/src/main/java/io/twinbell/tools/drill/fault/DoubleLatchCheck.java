package io.twinbell.tools.drill.fault;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.verify.NodeAnswers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;

/**
 * Whether two nodes believed at one time that they hold the latch. The old holder said so when nothing could reach it any
 * more, and was master until the new one, which had the latch by then, asked it by way of the database.
 *
 * @param wasSaid whether the old holder, cut off, said that it holds the latch
 * @param held when the new one began its promotion, since it held the latch
 * @param laidDown when the old one was master no more
 */
record DoubleLatchCheck(boolean wasSaid, Optional<Long> held, Optional<Long> laidDown) {
    private static final String HOLDS = "holds the latch";

    /**
     * From the pair's history of roles.
     *
     * @param removedMillis when the old holder's entry was removed
     */
    static DoubleLatchCheck of(boolean wasSaid, JsonNode history, String old, String successor, long removedMillis) {
        return new DoubleLatchCheck(
                wasSaid,
                earliest(
                        history,
                        removedMillis,
                        entry -> isOf(entry, successor)
                                && entry.path("to").asText().equals("PROMOTING")
                                && entry.path("reason").asText().startsWith(HOLDS)),
                earliest(
                        history,
                        removedMillis,
                        entry -> isOf(entry, old) && entry.path("from").asText().equals("MASTER")));
    }

    private static boolean isOf(JsonNode entry, String node) {
        return entry.path("node").asText().equals(node);
    }

    private static Optional<Long> earliest(JsonNode history, long sinceMillis, Predicate<JsonNode> which) {
        return StreamSupport.stream(history.spliterator(), false)
                .filter(which)
                .map(entry -> NodeAnswers.millis(entry, "at").orElseThrow())
                .filter(at -> at >= sinceMillis)
                .min(Long::compare);
    }

    List<String> complaints(String old, String successor) {
        List<String> complaints = new ArrayList<>();
        if (!wasSaid) {
            complaints.add("node " + old + " did not say that it holds the latch when it was cut off");
        }
        if (held.isEmpty()) {
            complaints.add("node " + successor + " was not promoted for holding the latch");
        }
        if (laidDown.isEmpty()) {
            complaints.add("nobody knows when node " + old + " was master no more");
        }
        if (held.isPresent() && laidDown.isPresent() && laidDown.get() < held.get()) {
            complaints.add("node " + old + " was master no more " + (held.get() - laidDown.get()) + " ms before node "
                    + successor + " held the latch");
        }
        return complaints;
    }
}
