package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Member;
import io.twinbell.node.json.MemberDefaults;
import io.twinbell.node.schedule.Schedules;
import io.twinbell.node.task.reader.TaskMembers;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Fills members that a task lacks with the defaults of its app and of the cluster, and removes such values again. The
 * stored definition has the values and, as {@code origins}, where each came from. A default replaces a whole member.
 */
public final class DefaultedMembers {
    /** The member of a definition that names the origin of each value from defaults. */
    static final String ORIGINS = "origins";

    /** The members that may have a default, with the name of each as an origin. */
    static final List<String> TOP_LEVEL =
            TaskMembers.WITH_DEFAULTS.stream().<String>map(Member::name).toList();

    private static final String SCHEDULE = "schedule";
    private static final String ZONE = "zone";
    private static final String ZONE_ORIGIN = "schedule.zone";
    private static final String ZONE_POINTER = "/schedule/zone";

    private DefaultedMembers() {}

    /**
     * A task with its defaults.
     *
     * @param origins the origin of each value that came from defaults, by its name; may be empty
     */
    record Filled(JsonNode task, ObjectNode origins) {}

    /** Returns the task itself if no default applies to it. */
    static Filled fill(JsonNode task, MemberDefaults defaults) {
        ObjectNode origins = JsonNodeFactory.instance.objectNode();
        if (defaults.isEmpty() || !task.isObject()) {
            return new Filled(task, origins);
        }
        ObjectNode filled = ((ObjectNode) task).objectNode().setAll((ObjectNode) task);
        for (String member : TOP_LEVEL) {
            if (!task.hasNonNull(member)) {
                defaults.find("/" + member).ifPresent(given -> {
                    filled.set(member, given.value());
                    origins.put(member, given.origin());
                });
            }
        }
        zone(task.path(SCHEDULE), defaults).ifPresent(given -> {
            filled.set(SCHEDULE, withZone(task.get(SCHEDULE), given));
            origins.put(ZONE_ORIGIN, given.origin());
        });
        return new Filled(filled, origins);
    }

    /** Returns the schedule with the default zone if it needs one and names none. */
    public static JsonNode withZone(JsonNode schedule, MemberDefaults defaults) {
        return zone(schedule, defaults).map(given -> withZone(schedule, given)).orElse(schedule);
    }

    private static Optional<MemberDefaults.OriginatedValue> zone(JsonNode schedule, MemberDefaults defaults) {
        return defaults.isEmpty() || !Schedules.lacksZone(schedule) ? Optional.empty() : defaults.find(ZONE_POINTER);
    }

    private static JsonNode withZone(JsonNode schedule, MemberDefaults.OriginatedValue zone) {
        return ((ObjectNode) schedule).deepCopy().set(ZONE, zone.value());
    }

    /** Returns the task without the values that came from defaults, and without their origins. */
    static ObjectNode withoutDefaults(ObjectNode task) {
        JsonNode origins = task.path(ORIGINS);
        if (!origins.isObject()) {
            return task;
        }
        ObjectNode written = task.deepCopy();
        for (Map.Entry<String, JsonNode> origin : origins.properties()) {
            if (origin.getKey().equals(ZONE_ORIGIN)) {
                if (written.path(SCHEDULE) instanceof ObjectNode schedule) {
                    schedule.remove(ZONE);
                }
            } else if (TOP_LEVEL.contains(origin.getKey())) {
                written.remove(origin.getKey());
            }
        }
        written.remove(ORIGINS);
        return written;
    }
}
