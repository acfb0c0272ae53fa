package io.twinbell.tools.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The kinds of objects in a manifest, in the order of their creation: tasks and alerts refer to calendars, and
 * tasks get defaults when they are created.
 */
public enum ManifestKind {
    CALENDAR("calendars", List.of("name"), "/api/v1/calendars"),
    LIMIT("limits", List.of("key"), "/api/v1/limits"),
    DEFAULTS("defaults", List.of("key"), "/api/v1/defaults"),
    TASK("tasks", List.of("app", "name"), "/api/v1/tasks"),
    ALERT("alerts", List.of("name"), "/api/v1/alerts");

    private final String list;
    private final List<String> identity;
    private final String path;

    ManifestKind(String list, List<String> identity, String path) {
        this.list = list;
        this.identity = identity;
        this.path = path;
    }

    /** The name of the list of this kind. */
    public String list() {
        return list;
    }

    public String word() {
        return this == DEFAULTS ? list : list.substring(0, list.length() - 1);
    }

    /** The members that identify an object of this kind. */
    public List<String> identity() {
        return identity;
    }

    List<String> identityOf(JsonNode json) {
        return identity.stream().map(member -> json.path(member).asText()).toList();
    }

    /** An object's identity, for people. */
    public String key(JsonNode json) {
        return String.join("/", identityOf(json));
    }

    /** The API path of the list. */
    public String path() {
        return path;
    }

    /** The API path of one object. */
    public String path(JsonNode json) {
        List<String> parts = identityOf(json).stream()
                .map(part -> URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20"))
                .toList();
        return this == TASK ? "/api/v1/apps/" + parts.get(0) + "/tasks/" + parts.get(1) : path + "/" + parts.get(0);
    }

    static ManifestKind ofList(String name) {
        return Arrays.stream(values())
                .filter(kind -> kind.list.equals(name) || kind == TASK && name.equals("items"))
                .findFirst()
                .orElse(null);
    }

    static String lists() {
        return Arrays.stream(values()).map(ManifestKind::list).collect(Collectors.joining(", "));
    }
}
