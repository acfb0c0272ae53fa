package io.twinbell.tools.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The members of tasks that have a default of the cluster or of an app. */
public final class TaskDefaultsIndex {
    /** No defaults. */
    public static final TaskDefaultsIndex NONE = new TaskDefaultsIndex(List.of());

    /** The name of the only member that lies below another. */
    static final String ZONE = "schedule.zone";

    private static final Set<String> NOT_MEMBERS = Set.of("key", "version", "createdAt", "updatedAt", "schedule");

    private final Map<String, Set<String>> byKey = new HashMap<>();

    /** @param defaults as the API shows them */
    public TaskDefaultsIndex(Iterable<JsonNode> defaults) {
        for (JsonNode one : defaults) {
            Set<String> members = new HashSet<>();
            one.fieldNames().forEachRemaining(members::add);
            members.removeAll(NOT_MEMBERS);
            if (one.path("schedule").has("zone")) {
                members.add(ZONE);
            }
            byKey.put(one.path("key").asText(), members);
        }
    }

    /** Returns the members that have a default for tasks of the app, in a new set. */
    Set<String> of(String app) {
        Set<String> members = new HashSet<>(byKey.getOrDefault("cluster", Set.of()));
        members.addAll(byKey.getOrDefault("app:" + app, Set.of()));
        return members;
    }
}
