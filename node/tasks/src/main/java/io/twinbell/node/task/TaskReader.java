package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.HandlerDefinition;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.PastInstant;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.task.reader.DefinitionReader;
import io.twinbell.node.task.reader.HttpMethods;
import io.twinbell.node.task.reader.TaskMembers;
import io.twinbell.persistence.task.DefinitionParts;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Parses the JSON of a task. A valid task is understood completely; an invalid one is refused with all of its errors.
 * All methods throw {@link InvalidJsonException}, and {@link PayloadTooLargeException} for more than
 * {@value Payload#MAX_BYTES} bytes.
 */
public final class TaskReader {
    private static final Map<String, List<String>> OPTIONAL_LISTS = Map.of(
            "schedule", List.of("rdate", "exdate"),
            "handler", List.of("successCodes"),
            "retry", List.of("onlyOn", "notOn"));

    /**
     * A task from a request, parsed and validated.
     *
     * @param enabled null if the request does not contain it
     * @param normalized the definition in the content
     */
    record ReadTask(TaskContent content, TaskDefinition definition, Boolean enabled, ObjectNode normalized) {}

    private TaskReader() {}

    /**
     * Reads a new task and computes its first fire time. Members that it lacks get the defaults of its app and of the
     * cluster.
     *
     * @param nowMillis by the database's clock: the default start, and the instant that the first fire time of a
     *     recurring task follows
     */
    public static NewTask newTask(JsonNode task, long nowMillis, Calendars calendars) {
        ReadTask read = read(task, nowMillis, calendars);
        Schedule schedule = read.definition().schedule();
        OptionalLong next = OptionalLong.of(firstFireTime(schedule, nowMillis));
        if (schedule.firesOnce() && next.getAsLong() < nowMillis && refusesPast(task)) {
            throw new InvalidJsonException(
                    "/schedule/at",
                    "has passed: the database's clock is at " + Instants.text(nowMillis) + ", and past is REFUSE");
        }
        boolean paused = Boolean.FALSE.equals(read.enabled());
        TaskProgress progress = paused
                ? TaskProgress.fresh(TaskState.PAUSED, TaskChanges.DISABLED, next)
                : TaskProgress.fresh(TaskState.ACTIVE, null, next);
        return new NewTask(
                read.content(),
                progress,
                read.definition().contentionPolicy().priority(),
                read.definition().schedule().calendars(),
                parts(read.normalized()));
    }

    /** Reads the stored definition of a task. */
    public static TaskDefinition definition(String app, String name, String definitionJson, Calendars calendars) {
        return definition(app, name, StrictJson.readStored(definitionJson), calendars);
    }

    /** As {@link #definition(String, String, String, Calendars)}, of a definition that was taken apart. */
    public static TaskDefinition definition(String app, String name, DefinitionParts parts, Calendars calendars) {
        JsonNode whole = StrictJson.readStored(parts.shared());
        if (parts.data() != null) {
            ((ObjectNode) whole).set("data", StrictJson.readStored(parts.data()));
        }
        parts.startMillis().ifPresent(start -> ((ObjectNode) whole).put("start", Instants.text(start)));
        parts.atMillis().ifPresent(at -> ((ObjectNode) whole.get("schedule")).put("at", Instants.text(at)));
        return definition(app, name, whole, calendars);
    }

    private static TaskDefinition definition(String app, String name, JsonNode json, Calendars calendars) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(json, "", errors);
        DefinitionReader reader = new DefinitionReader(fields, app, name, calendars);
        TaskDefinition definition = reader.read(OptionalLong.empty());
        fields.json(DefaultedMembers.ORIGINS);
        fields.refuseUnknown();
        refuse(errors);
        return definition;
    }

    static ReadTask read(JsonNode written, long startIfNoneGiven, Calendars calendars) {
        DefaultedMembers.Filled filled = DefaultedMembers.fill(
                withoutEmptyLists(written),
                calendars.taskDefaults(written.path("app").textValue()));
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(filled.task(), "", errors);
        String app = fields.requiredLine("app", TaskMembers.MAX_NAME);
        String name = fields.requiredLine("name", TaskMembers.MAX_NAME);
        String owner = fields.line("owner", TaskMembers.MAX_NAME);
        List<String> tags = tags(fields);
        Boolean enabled = fields.bool("enabled");
        DefinitionReader reader = new DefinitionReader(fields, app, name, calendars);
        TaskDefinition definition = reader.read(OptionalLong.of(startIfNoneGiven));
        fields.refuseUnknown();
        refuse(errors);
        Payload.check(definition);
        HandlerDefinition handler = definition.handler();
        if (handler instanceof HandlerSpec.HttpCall call) {
            HttpMethods.refusal(call.method())
                    .ifPresent(detail -> errors.add(new FieldError("/handler/method", detail)));
            refuse(errors);
        }
        String key = handler.key();
        if (!filled.origins().isEmpty()) {
            reader.normalized().set(DefaultedMembers.ORIGINS, filled.origins());
        }
        TaskContent content =
                new TaskContent(app, name, owner, tags, handler.type(), key, StrictJson.write(reader.normalized()));
        return new ReadTask(content, definition, enabled, reader.normalized());
    }

    /** Takes apart what {@code twinbell.full_definition} puts together, and changes it. */
    private static DefinitionParts parts(ObjectNode definition) {
        JsonNode data = definition.remove("data");
        JsonNode start = definition.remove("start");
        JsonNode at = definition.path("schedule").path("at");
        if (!at.isMissingNode()) {
            ObjectNode schedule = definition.get("schedule").deepCopy();
            schedule.remove("at");
            definition.set("schedule", schedule);
        }
        return new DefinitionParts(
                StrictJson.write(definition), data == null ? null : StrictJson.write(data), millis(start), millis(at));
    }

    private static OptionalLong millis(JsonNode instant) {
        return instant == null || instant.isMissingNode()
                ? OptionalLong.empty()
                : OptionalLong.of(Instants.millis(instant.textValue()));
    }

    private static boolean refusesPast(JsonNode task) {
        return PastInstant.REFUSE
                .name()
                .equals(task.path("schedule").path("past").textValue());
    }

    /** Returns the only fire time of a one-shot, even if it has passed: the misfire policy then applies as usual. */
    private static long firstFireTime(Schedule schedule, long nowMillis) {
        long first = schedule.firesOnce() ? schedule.previous(Schedule.NEVER) : schedule.nextByNominal(nowMillis);
        return firing(first, schedule, nowMillis);
    }

    /** @throws InvalidJsonException if the schedule has no further fire time */
    static long firing(long fireMillis, Schedule schedule, long afterMillis) {
        if (fireMillis != Schedule.NEVER && fireMillis != Schedule.NONE_BEFORE) {
            return fireMillis;
        }
        if (fireMillis == Schedule.NONE_BEFORE || schedule.withoutCalendars().next(afterMillis) != Schedule.NEVER) {
            throw new InvalidJsonException(
                    "/calendars", "the task would never fire: the calendars exclude all its fire times");
        }
        throw new InvalidJsonException("/schedule", "never fires: it has no fire time after now");
    }

    private static List<String> tags(Fields fields) {
        JsonNode given = fields.json("tags");
        if (given == null) {
            return List.of();
        }
        if (!given.isArray() || given.size() > TaskMembers.MAX_TAGS) {
            fields.error("tags", "must be a list of at most " + TaskMembers.MAX_TAGS + " strings");
            return List.of();
        }
        Set<String> tags = new LinkedHashSet<>();
        for (int i = 0; i < given.size(); i++) {
            String tag = given.get(i).textValue();
            if (tag == null
                    || tag.isEmpty()
                    || tag.length() > TaskMembers.MAX_TAG
                    || tag.chars().anyMatch(Character::isISOControl)) {
                fields.errorBelow(
                        "/tags/" + i,
                        "must be a string of 1 to " + TaskMembers.MAX_TAG + " characters and no control characters");
            } else {
                tags.add(tag);
            }
        }
        return List.copyOf(tags);
    }

    private static void refuse(List<FieldError> errors) {
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
    }

    /**
     * Leaves out empty lists where a list is optional. Java clients that are generated from the API's description send one
     * for each list that the program has not set. Returns the same task if it has none, else a copy.
     */
    private static JsonNode withoutEmptyLists(JsonNode task) {
        JsonNode result = task;
        for (Map.Entry<String, List<String>> place : OPTIONAL_LISTS.entrySet()) {
            for (String name : place.getValue()) {
                JsonNode value = result.path(place.getKey()).path(name);
                if (value.isArray() && value.isEmpty()) {
                    result = result == task ? task.deepCopy() : result;
                    ((ObjectNode) result.get(place.getKey())).remove(name);
                }
            }
        }
        return result;
    }
}
