package io.twinbell.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.lab.stage.DrilledPair;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import io.twinbell.tools.verify.NodeAnswers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** API client for the tasks of a drill's app; either node may answer. */
final class DrillApiClient {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int PAGE = 1000;
    private static final int TRIES = 5;

    private final List<NodeClient> nodes;
    private final String app;

    /** @param first the node that is asked first */
    DrillApiClient(DrilledPair pair, String first, String app) {
        this.nodes = List.of(pair.client(first, LIMIT), pair.client(DrilledPair.other(first), LIMIT));
        this.app = app;
    }

    @FunctionalInterface
    private interface Request {
        JsonNode send(NodeClient node) throws NodeException;
    }

    /**
     * Creates all tasks or none; returns their ids in order. Sends once, because a repeated request would find the
     * names taken.
     */
    List<Long> create(List<DrillTask> tasks) throws NodeException, DrillException.Failed {
        ArrayNode batch = JsonNodeFactory.instance.arrayNode();
        tasks.forEach(task -> batch.add(task.definition()));
        List<Long> ids = new ArrayList<>();
        for (JsonNode item : nodes.get(0).post("/api/v1/tasks/batch", batch).path("items")) {
            if (item.path("status").asInt() != 201) {
                throw new DrillException.Failed("the pair refused a task of the drill: " + item.path("problem"));
            }
            ids.add(item.path("id").asLong());
        }
        return ids;
    }

    List<JsonNode> tasks() throws NodeException {
        return all("/api/v1/tasks?app=" + app);
    }

    /** The app's ledger rows. */
    List<JsonNode> executions() throws NodeException {
        return all("/api/v1/executions?app=" + app);
    }

    /** Whether every execution has an outcome. */
    boolean isIdle() throws NodeException {
        return oldestUnfinished().isEmpty();
    }

    /**
     * Whether no slot waits for its claim, and no execution of that epoch or an earlier one lacks an outcome.
     *
     * @param dueMillis slots up to this fire time count as waiting
     */
    boolean hasCaughtUp(long epoch, long dueMillis) throws NodeException {
        for (JsonNode task : tasks()) {
            if (NodeAnswers.millis(task, "nextFireTime").orElse(Long.MAX_VALUE) <= dueMillis) {
                return false;
            }
        }
        return oldestUnfinished().orElse(Long.MAX_VALUE) > epoch;
    }

    /** The oldest epoch that has an execution without an outcome; 0 for an unclaimed one. */
    private OptionalLong oldestUnfinished() throws NodeException {
        List<JsonNode> unfinished = new ArrayList<>();
        for (LedgerRow.State state : LedgerRow.State.values()) {
            if (!state.isFinal()) {
                unfinished.addAll(all("/api/v1/executions?app=" + app + "&state=" + state));
            }
        }
        return unfinished.stream()
                .mapToLong(execution -> execution.path("epoch").asLong())
                .min();
    }

    JsonNode cluster() throws NodeException {
        return send(NodeClient::recordedPair);
    }

    void pause() throws NodeException {
        send(node -> node.post("/api/v1/tasks/pause?app=" + app));
    }

    void remove() throws NodeException {
        send(node -> node.delete("/api/v1/tasks?app=" + app));
    }

    private List<JsonNode> all(String path) throws NodeException {
        List<JsonNode> items = new ArrayList<>();
        String after = "";
        while (after != null) {
            String page = path + "&limit=" + PAGE + after;
            JsonNode answer = send(node -> node.get(page));
            answer.path("items").forEach(items::add);
            after = answer.hasNonNull("next") ? "&after=" + answer.path("next").asText() : null;
        }
        return items;
    }

    /**
     * Sends a request, and repeats it after an error. A node whose database sessions were ended fails once on each
     * session and then opens new ones.
     */
    private JsonNode send(Request request) throws NodeException {
        NodeException last = null;
        for (int tries = 0; tries < TRIES; tries++) {
            for (NodeClient node : nodes) {
                try {
                    return request.send(node);
                } catch (NodeException.Unreachable | NodeException.Unavailable e) {
                    last = e;
                }
            }
        }
        throw last;
    }
}
