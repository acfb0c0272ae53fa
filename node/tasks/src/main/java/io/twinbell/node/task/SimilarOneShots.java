package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.task.reader.DefinitionReader;
import io.twinbell.node.task.reader.TaskMembers;
import io.twinbell.persistence.task.DefinitionParts;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskProgress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Reads one-shots of Java handlers that differ from a model in their name, instant and data only. The result is the same as
 * that of {@link TaskReader}.
 */
final class SimilarOneShots {
    private static final String AT = "at";
    private static final String DATA = "data";
    private static final String NAME = "name";
    private static final String SCHEDULE = "schedule";
    private static final Set<String> MAY_DIFFER = Set.of(NAME, SCHEDULE, DATA);

    /**
     * The members that a model may have besides. The name, the instant and the data affect the meaning of none of them.
     * Calendars, a jitter, a start or an end would let the fire time depend on more than the instant.
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

    private final ObjectNode model;
    private final NewTask modelAsRead;
    private final DefinitionText definition;

    private SimilarOneShots(ObjectNode model, NewTask read, DefinitionText definition) {
        this.model = model;
        modelAsRead = read;
        this.definition = definition;
    }

    /** A stored definition, cut at the values of its schedule and its data. */
    private record DefinitionText(String head, String middle, String tail) {
        static DefinitionText of(String definition) {
            StringBuilder text = new StringBuilder();
            String head = "";
            String middle = "";
            char separator = '{';
            for (Map.Entry<String, JsonNode> member :
                    StrictJson.readStored(definition).properties()) {
                text.append(separator).append('"').append(member.getKey()).append("\":");
                separator = ',';
                if (member.getKey().equals(SCHEDULE)) {
                    head = text.toString();
                    text.setLength(0);
                } else if (member.getKey().equals(DATA)) {
                    middle = text.toString();
                    text.setLength(0);
                } else {
                    text.append(StrictJson.write(member.getValue()));
                }
            }
            return new DefinitionText(head, middle, text.append('}').toString());
        }

        String with(String at, String data) {
            return head + "{\"at\":\"" + at + "\"}" + middle + (data == null ? "" : data) + tail;
        }
    }

    /**
     * @param model must not change afterwards
     * @param read the result of reading the model
     * @return null if tasks that are similar to this one must be read as a whole
     */
    static SimilarOneShots to(ObjectNode model, NewTask read) {
        if (read.content().handlerKey() == null || !isInstant(model) || !isIndependent(model)) {
            return null;
        }
        SimilarOneShots similar = new SimilarOneShots(
                model, read, DefinitionText.of(read.content().definition()));
        return read.equals(similar.read(model)) ? similar : null;
    }

    private static boolean isIndependent(ObjectNode task) {
        for (Map.Entry<String, JsonNode> member : task.properties()) {
            String name = member.getKey();
            if (!MAY_DIFFER.contains(name) && (!INDEPENDENT.contains(name) || hasDecimal(member.getValue()))) {
                return false;
            }
        }
        return true;
    }

    /** 1.1 and 1.10 are equal, but are stored as they are written. */
    private static boolean hasDecimal(JsonNode node) {
        if (node.isFloatingPointNumber()) {
            return true;
        }
        for (JsonNode child : node) {
            if (hasDecimal(child)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the schedule is an instant and nothing else, so that the instant can be replaced. */
    private static boolean isInstant(JsonNode task) {
        JsonNode schedule = task.path(SCHEDULE);
        return schedule.size() == 1 && schedule.path(AT).isTextual();
    }

    /** Whether the tasks have the same members, and differ in the values of name, schedule and data only. */
    static boolean areSimilar(ObjectNode one, ObjectNode other) {
        if (one.size() != other.size() || one.hasNonNull(DATA) != other.hasNonNull(DATA)) {
            return false;
        }
        for (Map.Entry<String, JsonNode> member : one.properties()) {
            JsonNode same = other.get(member.getKey());
            if (same == null
                    || !MAY_DIFFER.contains(member.getKey())
                            && !member.getValue().equals(same)) {
                return false;
            }
        }
        return true;
    }

    /** Returns null if the task must be read as a whole, because it is not similar or may be invalid. */
    NewTask read(ObjectNode task) {
        if (!areSimilar(model, task) || !isInstant(task)) {
            return null;
        }
        String name = validName(task);
        OptionalLong at = millis(task.path(SCHEDULE).path(AT).textValue());
        if (name == null || at.isEmpty()) {
            return null;
        }
        long millis = at.getAsLong();
        String data = null;
        if (task.hasNonNull(DATA)) {
            data = validData(task.get(DATA));
            if (data == null) {
                return null;
            }
        }
        TaskContent like = modelAsRead.content();
        return new NewTask(
                new TaskContent(
                        like.app(),
                        name,
                        like.owner(),
                        like.tags(),
                        like.handlerType(),
                        like.handlerKey(),
                        definition.with(Instants.text(millis), data)),
                TaskProgress.fresh(
                        modelAsRead.progress().state(), modelAsRead.progress().reason(), OptionalLong.of(millis)),
                modelAsRead.priority(),
                modelAsRead.calendars(),
                new DefinitionParts(
                        modelAsRead.parts().shared(),
                        data,
                        modelAsRead.parts().startMillis(),
                        OptionalLong.of(millis)));
    }

    /** Empty for an invalid instant. */
    private static OptionalLong millis(String at) {
        try {
            return OptionalLong.of(Instants.millis(at));
        } catch (IllegalArgumentException e) {
            return OptionalLong.empty();
        }
    }

    /** Returns null for an invalid name. */
    private static String validName(ObjectNode task) {
        List<FieldError> errors = new ArrayList<>();
        String name = Fields.of(task, "", errors).requiredLine(NAME, TaskMembers.MAX_NAME);
        return errors.isEmpty() ? name : null;
    }

    /** Returns the text of the data; null for too much data. */
    private static String validData(JsonNode data) {
        if (DefinitionReader.isTooDeep(data)) {
            return null;
        }
        String text = StrictJson.write(data);
        return text.getBytes(StandardCharsets.UTF_8).length <= Payload.MAX_BYTES ? text : null;
    }
}
