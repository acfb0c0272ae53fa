package io.twinbell.tools.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.PagedList;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.manifest.Manifest;
import io.twinbell.tools.manifest.ManifestChange;
import io.twinbell.tools.manifest.ManifestDiff;
import io.twinbell.tools.manifest.ManifestKind;
import io.twinbell.tools.terminal.Progress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Computes the changes that make a pair match a manifest. It stores nothing. */
public final class ApplyPlan {
    private static final int BATCH_SIZE = 1000;
    /**
     * Limit of tasks read one by one. If the manifest has more tasks of an app, all tasks of the app are read in pages.
     */
    private static final int FEW = 50;

    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final NodeAddresses nodes;
    private final Manifest manifest;
    private final ManifestDiff diff;
    private final Progress progress;
    /**
     * Calendars that the manifest declares and the pair does not have yet. The API cannot check objects that refer to
     * them.
     */
    private final Set<String> newCalendars = new HashSet<>();

    private final List<ManifestChange> changes = new ArrayList<>();

    public ApplyPlan(NodeAddresses nodes, Manifest manifest, ManifestDiff diff, Progress progress) {
        this.nodes = nodes;
        this.manifest = manifest;
        this.diff = diff;
        this.progress = progress;
    }

    /** @param pruned apps whose tasks are removed if the manifest does not have them */
    public List<ManifestChange> changes(List<String> pruned) throws NodeException {
        for (ManifestKind kind : ManifestKind.values()) {
            if (kind == ManifestKind.TASK) {
                tasks(pruned);
            } else {
                for (Manifest.Entry entry : manifest.of(kind)) {
                    changes.add(other(entry));
                }
            }
        }
        return changes;
    }

    private ManifestChange other(Manifest.Entry entry) throws NodeException {
        String path = entry.kind().path(entry.json());
        Optional<JsonNode> actual =
                nodes.repeatable(LIMIT, node -> node.find(path).orElse(JsonNodeFactory.instance.nullNode()))
                                instanceof ObjectNode found
                        ? Optional.of(found)
                        : Optional.empty();
        if (actual.isEmpty() && entry.kind() == ManifestKind.CALENDAR) {
            newCalendars.add(entry.json().path("name").asText());
        }
        ObjectNode asked = sent(entry.kind(), entry.json());
        if (namesNewCalendars(asked.path("silence").path("calendars"))) {
            return diff.decide(entry, asked, (ObjectNode) actual.orElse(null), null);
        }
        try {
            JsonNode foreseen = nodes.repeatable(LIMIT, node -> node.put(path + "?dryRun=true", asked));
            return diff.decide(entry, (ObjectNode) foreseen, (ObjectNode) actual.orElse(null), null);
        } catch (NodeException.Refused e) {
            return ManifestDiff.refused(entry, why(e.faults(), e.getMessage()));
        }
    }

    /** The request body, without the version that guards the change and without the members that are in the path. */
    static ObjectNode sent(ManifestKind kind, ObjectNode wanted) {
        ObjectNode sent = wanted.deepCopy();
        sent.remove("version");
        if (kind == ManifestKind.LIMIT || kind == ManifestKind.DEFAULTS) {
            sent.remove("key");
        }
        return sent;
    }

    private boolean namesNewCalendars(JsonNode names) {
        for (JsonNode name : names) {
            if (newCalendars.contains(name.asText())) {
                return true;
            }
        }
        return false;
    }

    private void tasks(List<String> pruned) throws NodeException {
        List<Manifest.Entry> tasks = manifest.of(ManifestKind.TASK);
        Map<String, ObjectNode> actual = actual(tasks, pruned);
        for (int first = 0; first < tasks.size(); first += BATCH_SIZE) {
            List<Manifest.Entry> some = tasks.subList(first, Math.min(tasks.size(), first + BATCH_SIZE));
            JsonNode answers = dryRun(some);
            for (int i = 0; i < some.size(); i++) {
                changes.add(task(
                        some.get(i), answers.path(i), actual.remove(some.get(i).key())));
            }
            progress.at(first + some.size(), tasks.size(), "tasks");
        }
        actual.values().stream()
                .filter(task -> pruned.contains(task.path("app").asText()))
                .forEach(task -> changes.add(ManifestDiff.removal(ManifestKind.TASK, task)));
    }

    private JsonNode dryRun(List<Manifest.Entry> tasks) throws NodeException {
        ArrayNode items = JsonNodeFactory.instance.arrayNode();
        for (Manifest.Entry task : tasks) {
            ObjectNode item = sent(ManifestKind.TASK, task.json());
            if (namesNewCalendars(item.path("calendars"))) {
                item.remove("calendars");
            }
            items.add(item);
        }
        String path = "/api/v1/tasks/batch?ifExists=REPLACE&dryRun=true";
        return nodes.repeatable(LIMIT, node -> node.post(path, items)).path("items");
    }

    private ManifestChange task(Manifest.Entry entry, JsonNode answer, ObjectNode actual) {
        if (answer.has("problem")) {
            JsonNode problem = answer.path("problem");
            return ManifestDiff.refused(
                    entry,
                    why(
                            NodeException.MemberError.allOf(problem),
                            problem.path("detail").asText()));
        }
        ObjectNode foreseen = (ObjectNode) answer.path("task");
        if (namesNewCalendars(entry.json().path("calendars"))) {
            foreseen.set("calendars", entry.json().path("calendars"));
        }
        return diff.decide(entry, foreseen, actual, answer.path("nextFireTime").asText(null));
    }

    static String why(List<NodeException.MemberError> faults, String otherwise) {
        return faults.isEmpty()
                ? otherwise
                : String.join(
                        "; ",
                        faults.stream().map(NodeException.MemberError::line).toList());
    }

    /** The pair's tasks by name: one by one for apps with few tasks in the manifest, all of them for other apps. */
    private Map<String, ObjectNode> actual(List<Manifest.Entry> tasks, List<String> pruned) throws NodeException {
        Map<String, List<Manifest.Entry>> byApp = new HashMap<>();
        tasks.forEach(task -> byApp.computeIfAbsent(task.json().path("app").asText(), app -> new ArrayList<>())
                .add(task));
        pruned.forEach(app -> byApp.computeIfAbsent(app, absent -> new ArrayList<>()));
        Map<String, ObjectNode> actual = new HashMap<>();
        for (Map.Entry<String, List<Manifest.Entry>> app : byApp.entrySet()) {
            if (pruned.contains(app.getKey()) || app.getValue().size() > FEW) {
                PagedList.read(
                        nodes,
                        () -> new QueryString(ManifestKind.TASK.path()).with("app", app.getKey()),
                        Integer.MAX_VALUE,
                        task -> actual.put(ManifestKind.TASK.key(task), (ObjectNode) task));
            } else {
                for (Manifest.Entry task : app.getValue()) {
                    String path = ManifestKind.TASK.path(task.json());
                    JsonNode found = nodes.repeatable(
                            LIMIT, node -> node.find(path).orElse(JsonNodeFactory.instance.nullNode()));
                    if (found instanceof ObjectNode object) {
                        actual.put(task.key(), object);
                    }
                }
            }
        }
        return actual;
    }
}
