package io.twinbell.lab.fault.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The tasks of a drill about requests: they are created and changed one by one, each with a name of its own. */
final class RequestedTasks {
    private static final int PAGE = 1000;

    private final NodeClient node;
    private final String app;

    /** @param node the node that gets the requests; it survives the fault */
    RequestedTasks(NodeClient node, String app) {
        this.node = node;
        this.app = app;
    }

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** Creates a task that calls the URL. Each of its slots runs, whatever happens to the master. */
    long create(String name, String url, ObjectNode schedule, String... tags) throws NodeException {
        ObjectNode task = object().put("app", app).put("name", name).put("orphan", "RERUN");
        task.put("overlap", "ALLOW");
        task.putObject("misfire").put("policy", "FIRE_ALL");
        task.set("schedule", schedule);
        for (String tag : tags) {
            task.withArray("tags").add(tag);
        }
        task.putObject("handler").put("type", "http").put("url", url);
        return node.post("/api/v1/tasks", task).path("id").asLong();
    }

    void pause(long task) throws NodeException {
        node.post("/api/v1/tasks/" + task + "/pause", object().put("reason", "drill"));
    }

    /** Ends the pause, and runs all slots that passed during it. */
    void catchUp(long task) throws NodeException {
        node.post("/api/v1/tasks/" + task + "/resume", object().put("catchUp", "ALL"));
    }

    void moveTo(long task, long millis) throws NodeException {
        node.patch("/api/v1/tasks/" + task, object().put("nextFireTime", text(millis)));
    }

    /** Runs the slots of a past span, some time apart; returns their fire times. */
    List<String> backfill(long task, long fromMillis, long untilMillis, String pace) throws NodeException {
        JsonNode answer = node.post(
                "/api/v1/tasks/" + task + "/backfill",
                object().put("from", text(fromMillis))
                        .put("to", text(untilMillis))
                        .put("pace", pace));
        List<String> fireTimes = new ArrayList<>();
        answer.path("fireTimes").forEach(fireTime -> fireTimes.add(fireTime.asText()));
        return fireTimes;
    }

    /** Returns the fire time of the run. */
    String trigger(long task) throws NodeException {
        return node.post("/api/v1/tasks/" + task + "/trigger", object().put("reason", "drill"))
                .path("fireTime")
                .asText();
    }

    void pauseTag(String tag) throws NodeException {
        node.put("/api/v1/pauses/tag:" + tag, object().put("reason", "drill").put("by", "a drill"));
    }

    JsonNode pauseOf(String tag) throws NodeException {
        return node.get("/api/v1/pauses/tag:" + tag);
    }

    void resumeTag(String tag) throws NodeException {
        if (node.find("/api/v1/pauses/tag:" + tag).isPresent()) {
            node.delete("/api/v1/pauses/tag:" + tag);
        }
    }

    /** The executions of the task, oldest first. */
    List<JsonNode> executions(long task) throws NodeException {
        List<JsonNode> executions = new ArrayList<>();
        node.get("/api/v1/tasks/" + task + "/executions?order=oldest&limit=" + PAGE)
                .path("items")
                .forEach(executions::add);
        return executions;
    }

    void remove() throws NodeException {
        node.delete("/api/v1/tasks?app=" + app);
    }

    private static String text(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }
}
