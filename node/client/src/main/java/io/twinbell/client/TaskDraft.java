package io.twinbell.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A task that is not stored yet, with any field of the HTTP API. Instances are immutable. Fields that are not set have
 * the defaults of the API. The pair checks the values.
 */
public final class TaskDraft {
    private final ObjectNode json;

    private TaskDraft(ObjectNode json) {
        this.json = json;
    }

    /** What a slot does while another execution of its task is unfinished. */
    public enum OverlapPolicy {
        SKIP,
        ALLOW,
        QUEUE,
        CANCEL_RUNNING
    }

    /** What a successor does with an attempt without an outcome. */
    public enum OrphanHandling {
        DROP,
        RERUN
    }

    /** What a successor does with a slot in doubt. */
    public enum DoubtHandling {
        DROP,
        RERUN,
        ASK
    }

    /** What happens to a fire time that a calendar excludes. */
    public enum ExcludedTime {
        SKIP,
        NEXT,
        PREVIOUS
    }

    /** Returns a task that does this at these times. */
    public static TaskDraft of(TaskAction action, TaskSchedule schedule) {
        ObjectNode json = ClientJson.object();
        json.set("schedule", schedule.json());
        json.set("handler", action.json);
        return new TaskDraft(json);
    }

    /** Default: the app of the client. */
    public TaskDraft app(String app) {
        return with("app", app);
    }

    /** Unique within the app. */
    public TaskDraft name(String name) {
        return with("name", name);
    }

    public TaskDraft owner(String owner) {
        return with("owner", owner);
    }

    public TaskDraft tags(String... tags) {
        return with("tags", List.of(tags));
    }

    /** Whether the task fires; if false, it is PAUSED. Default: true. */
    public TaskDraft enabled(boolean enabled) {
        return with("enabled", enabled);
    }

    public TaskDraft schedule(TaskSchedule schedule) {
        return with("schedule", schedule.json());
    }

    public TaskDraft handler(TaskAction action) {
        return with("handler", action.json);
    }

    /** Intervals and delays count from here. Default: when the task is stored. */
    public TaskDraft start(Instant start) {
        return with("start", start);
    }

    /** The task does not fire after this instant. */
    public TaskDraft end(Instant end) {
        return with("end", end);
    }

    /** The names of the calendars that must allow a fire time. */
    public TaskDraft calendars(String... names) {
        return with("calendars", List.of(names));
    }

    /** Default: SKIP. */
    public TaskDraft onExcluded(ExcludedTime policy) {
        return with("onExcluded", policy);
    }

    /** The number of runs after which the task is FINISHED. */
    public TaskDraft maxRuns(int runs) {
        return with("maxRuns", runs);
    }

    /** Delays each fire time by up to this value. */
    public TaskDraft jitter(Duration most) {
        return with("jitter", most);
    }

    /** The limit for one attempt. Default: none; 30 s for http. */
    public TaskDraft timeout(Duration timeout) {
        return with("timeout", timeout);
    }

    public TaskDraft misfire(MisfirePolicy policy) {
        return with("misfire", policy.json());
    }

    /** Default: SKIP. */
    public TaskDraft overlap(OverlapPolicy policy) {
        return with("overlap", policy);
    }

    /** Lets this many slots wait for an unfinished execution. */
    public TaskDraft overlapQueue(int slots) {
        return with("overlap", ClientJson.object().put("policy", "QUEUE").put("max", slots));
    }

    /** How long after its fire time a slot may start. After that it is MISSED and does not run. */
    public TaskDraft expireAfter(Duration lateness) {
        return with("expireAfter", lateness);
    }

    /** Pauses the task after this many failed executions in a row. */
    public TaskDraft pauseOnFailure(int executions) {
        return with("pauseOnFailure", executions);
    }

    /** Default: DROP. */
    public TaskDraft orphan(OrphanHandling policy) {
        return with("orphan", policy);
    }

    /** Default: as orphan. */
    public TaskDraft onDoubt(DoubtHandling policy) {
        return with("onDoubt", policy);
    }

    public TaskDraft retry(RetryPolicy policy) {
        return with("retry", policy.json());
    }

    /** 0 to 9. Default: 5. */
    public TaskDraft priority(int priority) {
        return with("priority", priority);
    }

    /** A key that tasks share, to set a limit on. */
    public TaskDraft concurrencyKey(String key) {
        return with("concurrencyKey", key);
    }

    /** The tasks of the same app that each get a slot when an execution has SUCCEEDED. */
    public TaskDraft then(String... names) {
        return with("then", List.of(names));
    }

    /** The tasks of the same app that each get a slot when an execution has FAILED or TIMED_OUT. */
    public TaskDraft thenOnFailure(String... names) {
        return with("thenOnFailure", List.of(names));
    }

    /**
     * Data for the handler, which Jackson writes as JSON. For the payload of a {@link HandlerKey} use
     * {@link TaskClient#schedule}, or {@code dataJson(key.write(payload))}.
     */
    public TaskDraft data(Object data) {
        return with("data", ClientJson.tree(data));
    }

    /**
     * Data for the handler, as JSON text.
     *
     * @throws IllegalArgumentException if the text is not JSON
     */
    public TaskDraft dataJson(String json) {
        return with("data", ClientJson.read(json));
    }

    /** Returns the task as JSON text. */
    @Override
    public String toString() {
        return json.toString();
    }

    ObjectNode json() {
        return json;
    }

    /** Returns the key of its java handler; null if it has another handler. */
    String javaKey() {
        JsonNode handler = json.path("handler");
        return "java".equals(handler.path("type").textValue())
                ? handler.path("key").textValue()
                : null;
    }

    TaskDraft inApp(String app) {
        return json.has("app") ? this : app(app);
    }

    String text(String member) {
        return json.path(member).textValue();
    }

    private TaskDraft with(String member, Object value) {
        return new TaskDraft(ClientJson.with(json, member, value));
    }
}
