package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Window;
import io.twinbell.node.task.reader.DefinitionReader;
import io.twinbell.persistence.ledger.InstantFormat;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskProgress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;

/**
 * One-shots of {@code java} handlers that differ from one that was read in their name, instant and data only. They are
 * stored as if they had been read whole.
 */
final class OneShotSiblings {
    private static final String AT = "at";
    private static final String DATA = "data";
    private static final String NAME = "name";
    private static final String SCHEDULE = "schedule";
    private static final Set<String> OWN = Set.of(NAME, SCHEDULE, DATA);

    private final ObjectNode model;
    private final NewTask read;
    private final DefinitionText definition;

    private OneShotSiblings(ObjectNode model, NewTask read, DefinitionText definition) {
        this.model = model;
        this.read = read;
        this.definition = definition;
    }

    /** A stored definition around its schedule and its data. */
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
     * @param model an accepted task
     * @param read the result of reading it
     * @param reader reads other tasks as the model was read
     * @return null if a task like this one must be read whole
     */
    static OneShotSiblings of(ObjectNode model, NewTask read, Function<JsonNode, NewTask> reader) {
        boolean isShared = model.properties().stream()
                .allMatch(member -> OWN.contains(member.getKey()) || !hasFraction(member.getValue()));
        if (read.content().handlerKey() == null || !isInstant(model) || !isShared) {
            return null;
        }
        OneShotSiblings siblings = new OneShotSiblings(
                model, read, DefinitionText.of(read.content().definition()));
        boolean isSame = siblings.isRead(model, read)
                && siblings.isReadAt(Window.EARLIEST, reader)
                && siblings.isReadAt(Window.LATEST, reader);
        return isSame ? siblings : null;
    }

    /** Whether the schedule is an instant and nothing else, so that the instant can be replaced. */
    private static boolean isInstant(JsonNode task) {
        JsonNode schedule = task.path(SCHEDULE);
        return schedule.size() == 1 && schedule.path(AT).isTextual();
    }

    /** 1.1 and 1.10 are equal, but are stored as they are written. */
    private static boolean hasFraction(JsonNode node) {
        if (node.isFloatingPointNumber()) {
            return true;
        }
        for (JsonNode child : node) {
            if (hasFraction(child)) {
                return true;
            }
        }
        return false;
    }

    private boolean isReadAt(long millis, Function<JsonNode, NewTask> reader) {
        ObjectNode other = model.deepCopy();
        other.putObject(SCHEDULE).put(AT, Instants.text(millis));
        try {
            return isRead(other, reader.apply(other));
        } catch (RuntimeException e) {
            return false;
        }
    }

    private boolean isRead(ObjectNode task, NewTask whole) {
        return whole.equals(read(task));
    }

    /** Whether the tasks differ in their names, instants and data only. */
    static boolean areSiblings(ObjectNode one, ObjectNode other) {
        if (one.size() != other.size() || one.hasNonNull(DATA) != other.hasNonNull(DATA)) {
            return false;
        }
        for (Map.Entry<String, JsonNode> member : one.properties()) {
            if (!OWN.contains(member.getKey()) && !member.getValue().equals(other.get(member.getKey()))) {
                return false;
            }
        }
        return true;
    }

    /** Returns the task as it is stored; null if it must be read whole, because it is no sibling or may be invalid. */
    NewTask read(ObjectNode task) {
        if (!areSiblings(model, task) || !isInstant(task)) {
            return null;
        }
        String name = validName(task);
        String at = task.path(SCHEDULE).path(AT).textValue();
        long millis = InstantFormat.read(at);
        if (name == null || millis < Window.EARLIEST || millis > Window.LATEST) {
            return null;
        }
        String data = null;
        if (task.hasNonNull(DATA)) {
            data = storable(task.get(DATA));
            if (data == null) {
                return null;
            }
        }
        TaskContent like = read.content();
        return new NewTask(
                new TaskContent(
                        like.app(),
                        name,
                        like.owner(),
                        like.tags(),
                        like.handlerType(),
                        like.handlerKey(),
                        definition.with(at, data)),
                TaskProgress.fresh(read.progress().state(), read.progress().reason(), OptionalLong.of(millis)),
                read.priority(),
                read.calendars());
    }

    /** Returns null for an invalid name. */
    private static String validName(ObjectNode task) {
        List<FieldError> errors = new ArrayList<>();
        String name = Fields.of(task, "", errors).requiredLine(NAME, TaskReader.MAX_NAME);
        return errors.isEmpty() ? name : null;
    }

    /** Returns the text of the data; null if there may be too much of it. */
    private static String storable(JsonNode data) {
        if (DefinitionReader.isTooDeep(data)) {
            return null;
        }
        String text = StrictJson.write(data);
        boolean isShort = text.length() <= Payload.MAX_BYTES / 4
                || text.getBytes(StandardCharsets.UTF_8).length <= Payload.MAX_BYTES;
        return isShort ? text : null;
    }
}
