package io.twinbell.lab.fault.callback;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.lab.fault.CallbackReceiver.AcceptedCall;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** The one-shots of a callback drill, which call a {@code CallbackReceiver}, and their executions. */
final class CallbackTasks {
    private static final int CREATED = 201;

    private final NodeClient node;
    private final String app;
    private final ArrayNode definitions = JsonNodeFactory.instance.arrayNode();

    /** @param node the node that is asked; it survives the fault */
    CallbackTasks(NodeClient node, String app) {
        this.node = node;
        this.app = app;
    }

    /** Adds a one-shot, which {@link #create} creates. */
    ObjectNode add(String name, String url, long atMillis, String orphan) {
        ObjectNode task = definitions.addObject();
        task.put("app", app).put("name", name).put("orphan", orphan).put("timeout", "PT10M");
        task.putObject("schedule").put("at", Instant.ofEpochMilli(atMillis).toString());
        task.putObject("handler").put("type", "http").put("url", url).put("completion", "CALLBACK");
        return task;
    }

    void create() throws NodeException, DrillException.Failed {
        for (JsonNode item : node.post("/api/v1/tasks/batch", definitions).path("items")) {
            if (item.path("status").asInt() != CREATED) {
                throw new DrillException.Failed("the pair refused a task of the drill: " + item.path("problem"));
            }
        }
    }

    void remove() throws NodeException {
        node.delete("/api/v1/tasks?app=" + app);
    }

    /** The executions by the names of their tasks. */
    Map<String, JsonNode> executions() throws NodeException {
        Map<String, JsonNode> byName = new HashMap<>();
        node.get("/api/v1/executions?app=" + app + "&limit=1000")
                .path("items")
                .forEach(execution -> byName.put(execution.path("name").asText(), execution));
        return byName;
    }

    /** How many executions wait for a callback. */
    long parked() throws NodeException {
        return executions().values().stream()
                .filter(execution -> execution.hasNonNull("callbackUntil"))
                .count();
    }

    /** Whether each task has an execution with an outcome. */
    boolean areOver() throws NodeException {
        return executions().values().stream()
                        .filter(execution -> LedgerRow.State.valueOf(
                                        execution.path("state").asText())
                                .isFinal())
                        .count()
                == definitions.size();
    }

    /** Posts the outcome of the call; returns the status of the answer. */
    int complete(AcceptedCall call, ObjectNode outcome) throws NodeException {
        return node.postCallback(call.callbackPath(), call.token(), outcome);
    }

    int heartbeat(AcceptedCall call, ObjectNode progress) throws NodeException {
        return node.postCallback(call.heartbeatPath(), call.token(), progress);
    }

    static ObjectNode outcome(String state) {
        return JsonNodeFactory.instance.objectNode().put("state", state);
    }
}
