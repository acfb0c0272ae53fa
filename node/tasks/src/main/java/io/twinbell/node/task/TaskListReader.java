package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.reader.DefinitionReader;
import io.twinbell.node.task.reader.TaskMembers;
import io.twinbell.persistence.task.DefinitionParts;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskProgress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Reads the new tasks of one list, with the same results and errors as {@link TaskReader#newTask}. Programs add
 * one-shots of Java handlers by the thousand that differ in their name, instant and data only. What such tasks share is
 * read once. Not thread-safe.
 */
public final class TaskListReader {
    private static final String AT = "at";
    private static final String DATA = "data";
    private static final String NAME = "name";
    private static final String SCHEDULE = "schedule";
    private static final Set<String> OWN = Set.of(NAME, SCHEDULE, DATA);

    /**
     * The members whose meaning depends neither on the name nor on the instant nor on the data. Calendars, a jitter, a
     * start or an end would let the fire time depend on more than the instant.
     */
    private static final Set<String> INDEPENDENT = Set.of(
            "app",
            "owner",
            "tags",
            "enabled",
            "handler",
            "timeout",
            "expireAfter",
            "misfire",
            "retry",
            "overlap",
            "orphan",
            "onDoubt",
            "pauseOnFailure",
            "priority");

    private final long nowMillis;
    private final Calendars calendars;
    /** The first task that was read with these shared members. */
    private final Map<String, Model> oneShots = new HashMap<>();

    private record Model(NewTask task, ObjectNode definition) {}

    /** @param nowMillis as in {@link TaskReader#newTask} */
    public TaskListReader(long nowMillis, Calendars calendars) {
        this.nowMillis = nowMillis;
        this.calendars = calendars;
    }

    public NewTask newTask(JsonNode task) {
        String shared = task instanceof ObjectNode object ? shared(object) : null;
        Model similar = shared == null ? null : oneShots.get(shared);
        NewTask known = similar == null ? null : read((ObjectNode) task, similar);
        if (known != null) {
            return known;
        }
        NewTask read = TaskReader.newTask(task, nowMillis, calendars);
        if (shared != null) {
            ObjectNode definition =
                    (ObjectNode) StrictJson.readStored(read.content().definition());
            oneShots.put(shared, new Model(read, definition));
        }
        return read;
    }

    /**
     * What the task shares with those that differ in their own members only, as text: 1.1 and 1.10 are equal, but are
     * stored as they are written. Returns null if it is no one-shot of a Java handler, or has another member.
     */
    private static String shared(ObjectNode task) {
        JsonNode schedule = task.path(SCHEDULE);
        if (schedule.size() != 1
                || !schedule.path(AT).isTextual()
                || !task.path("handler").path("key").isTextual()) {
            return null;
        }
        ObjectNode shared = JsonNodeFactory.instance.objectNode().put(DATA, task.hasNonNull(DATA));
        for (Map.Entry<String, JsonNode> member : task.properties()) {
            if (INDEPENDENT.contains(member.getKey())) {
                shared.set(member.getKey(), member.getValue());
            } else if (!OWN.contains(member.getKey())) {
                return null;
            }
        }
        return StrictJson.write(shared);
    }

    /** Returns null if the task must be read as a whole, because it may be invalid. */
    private static NewTask read(ObjectNode task, Model similar) {
        List<FieldError> errors = new ArrayList<>();
        String name = Fields.of(task, "", errors).requiredLine(NAME, TaskMembers.MAX_NAME);
        JsonNode data = task.hasNonNull(DATA) ? task.get(DATA) : null;
        String dataText = data == null || DefinitionReader.isTooDeep(data) ? null : StrictJson.write(data);
        if (!errors.isEmpty()
                || data != null
                        && (dataText == null || dataText.getBytes(StandardCharsets.UTF_8).length > Payload.MAX_BYTES)) {
            return null;
        }
        OptionalLong at;
        try {
            at = OptionalLong.of(Instants.millis(task.path(SCHEDULE).path(AT).textValue()));
        } catch (IllegalArgumentException e) {
            return null;
        }
        ObjectNode definition = JsonNodeFactory.instance.objectNode();
        definition.setAll(similar.definition());
        definition.putObject(SCHEDULE).put(AT, Instants.text(at.getAsLong()));
        if (data != null) {
            definition.set(DATA, data);
        }
        TaskContent like = similar.task().content();
        TaskProgress progress = similar.task().progress();
        DefinitionParts parts = similar.task().parts();
        return new NewTask(
                new TaskContent(
                        like.app(),
                        name,
                        like.owner(),
                        like.tags(),
                        like.handlerType(),
                        like.handlerKey(),
                        StrictJson.write(definition)),
                TaskProgress.fresh(progress.state(), progress.reason(), at),
                similar.task().priority(),
                similar.task().calendars(),
                new DefinitionParts(parts.shared(), dataText, parts.startMillis(), at));
    }
}
