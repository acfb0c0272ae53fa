package io.twinbell.lab.fault;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.verify.NodeAnswers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;

/**
 * Checks whether two nodes believed at the same time that they hold the latch. The old holder said so after it was cut
 * off. It stayed master until the new holder asked it to resign through the database.
 *
 * @param wasSaid whether the old holder, cut off, said that it holds the latch
 * @param held when the new holder began its promotion because it held the latch
 * @param laidDown when the old holder stopped being master
 */
public record DoubleLatchCheck(boolean wasSaid, Optional<Long> held, Optional<Long> laidDown) {
    private static final String HOLDS = "holds the latch";

    /**
     * Evaluates the pair's role history.
     *
     * @param removedMillis when the old holder's entry was removed from the election
     */
    public static DoubleLatchCheck of(
            boolean wasSaid, JsonNode history, String old, String successor, long removedMillis) {
        return new DoubleLatchCheck(
                wasSaid,
                earliest(
                        history,
                        removedMillis,
                        entry -> belongsTo(entry, successor)
                                && entry.path("to").asText().equals("PROMOTING")
                                && entry.path("reason").asText().startsWith(HOLDS)),
                earliest(
                        history,
                        removedMillis,
                        entry -> belongsTo(entry, old)
                                && entry.path("from").asText().equals("MASTER")));
    }

    private static boolean belongsTo(JsonNode entry, String node) {
        return entry.path("node").asText().equals(node);
    }

    private static Optional<Long> earliest(JsonNode history, long sinceMillis, Predicate<JsonNode> which) {
        return StreamSupport.stream(history.spliterator(), false)
                .filter(which)
                .map(entry -> NodeAnswers.millis(entry, "at").orElseThrow())
                .filter(at -> at >= sinceMillis)
                .min(Long::compare);
    }

    public List<String> complaints(String old, String successor) {
        List<String> complaints = new ArrayList<>();
        if (!wasSaid) {
            complaints.add("node " + old + " did not report that it holds the latch when it was isolated");
        }
        if (held.isEmpty()) {
            complaints.add("node " + successor + " was not promoted because of the latch");
        }
        if (laidDown.isEmpty()) {
            complaints.add("the history does not show when node " + old + " gave up the master role");
        }
        if (held.isPresent() && laidDown.isPresent() && laidDown.get() < held.get()) {
            complaints.add("node " + old + " gave up the master role " + (held.get() - laidDown.get()) + " ms"
                    + " before node "
                    + successor + " held the latch");
        }
        return complaints;
    }
}
