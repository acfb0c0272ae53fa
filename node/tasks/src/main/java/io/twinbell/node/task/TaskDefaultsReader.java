package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import java.util.ArrayList;
import java.util.List;

/** Parses defaults for the members of tasks. They have the form that these members have in a task. */
public final class TaskDefaultsReader {
    private static final String SCHEDULE = "schedule";
    private static final String ZONE = "zone";

    private TaskDefaultsReader() {}

    /**
     * Returns the defaults as they are stored, each member completed as in a task.
     *
     * @throws InvalidJsonException if a member cannot have a default, or is invalid
     */
    public static String normalized(ObjectNode defaults) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(defaults, "", errors);
        ObjectNode sample = sample();
        ObjectNode schedule = (ObjectNode) sample.get(SCHEDULE);
        List<String> given = new ArrayList<>();
        for (String member : DefaultedMembers.TOP_LEVEL) {
            JsonNode value = fields.json(member);
            if (value != null) {
                given.add(member);
                sample.set(member, value);
            }
        }
        Fields zone = fields.json(SCHEDULE) == null ? null : fields.object(SCHEDULE);
        if (zone != null) {
            JsonNode name = zone.required(ZONE);
            zone.refuseUnknown();
            schedule.set(ZONE, name);
        } else if (defaults.isEmpty()) {
            fields.errorBelow(
                    "",
                    "must have at least one of " + String.join(", ", DefaultedMembers.TOP_LEVEL)
                            + " and schedule.zone");
        }
        fields.refuseUnknown();
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
        JsonNode read = StrictJson.readStored(
                TaskReader.read(sample, 0, Calendars.NONE).content().definition());
        ObjectNode normalized = JsonNodeFactory.instance.objectNode();
        given.forEach(member -> normalized.set(member, read.get(member)));
        if (schedule.has(ZONE)) {
            normalized.putObject(SCHEDULE).set(ZONE, schedule.get(ZONE));
        }
        return StrictJson.write(normalized);
    }

    /** Returns a task that is valid with any values of the members. */
    private static ObjectNode sample() {
        ObjectNode sample = JsonNodeFactory.instance.objectNode();
        sample.put("app", "app").put("name", "name");
        sample.putObject(SCHEDULE).put("cron", "0 0 * * *");
        sample.putObject("handler").put("type", "log");
        return sample;
    }
}
