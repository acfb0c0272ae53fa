package io.twinbell.tools.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The tasks, calendars and other objects that manifest files declare. */
public final class Manifest {
    private final Map<ManifestKind, List<Entry>> entries = new EnumMap<>(ManifestKind.class);

    public Manifest() {
        for (ManifestKind kind : ManifestKind.values()) {
            entries.put(kind, new ArrayList<>());
        }
    }

    /**
     * One declared object.
     *
     * @param where the file and the position in it
     */
    public record Entry(ManifestKind kind, ObjectNode json, String where) {
        /** The object's identity, for people. */
        public String key() {
            return kind.key(json);
        }
    }

    /** All entries of a kind, in the order of the files. */
    public List<Entry> of(ManifestKind kind) {
        return entries.get(kind);
    }

    public boolean isEmpty() {
        return entries.values().stream().allMatch(List::isEmpty);
    }

    /**
     * Adds what a document declares: a task, a list of tasks, or an object of lists ({@code tasks}, {@code calendars}
     * …).
     *
     * @throws ManifestException if the document is none of these
     */
    public void add(JsonNode document, String where) throws ManifestException {
        if (document.isArray()) {
            addAll(ManifestKind.TASK, document, where);
        } else if (document.isObject() && (document.has("schedule") || document.has("handler"))) {
            add(ManifestKind.TASK, document, where);
        } else if (document.isObject()) {
            addLists((ObjectNode) document, where);
        } else if (!document.isNull() && !document.isMissingNode()) {
            throw new ManifestException(where + " is neither a task nor a list of tasks: " + document);
        }
    }

    private void addLists(ObjectNode document, String where) throws ManifestException {
        for (Map.Entry<String, JsonNode> member : document.properties()) {
            ManifestKind kind = ManifestKind.ofList(member.getKey());
            if (kind == null) {
                throw new ManifestException(where + ": unknown member \"" + member.getKey() + "\"; expected "
                        + ManifestKind.lists() + ", or one task with app, name, schedule and handler");
            }
            String place = where + ", " + member.getKey();
            if (member.getValue().isArray()) {
                addAll(kind, member.getValue(), place);
            } else if (!member.getValue().isNull()) {
                throw new ManifestException(place + " must be a list");
            }
        }
    }

    private void addAll(ManifestKind kind, JsonNode list, String where) throws ManifestException {
        for (int i = 0; i < list.size(); i++) {
            add(kind, list.get(i), where + " " + (i + 1));
        }
    }

    private void add(ManifestKind kind, JsonNode json, String where) throws ManifestException {
        if (!(json instanceof ObjectNode object)) {
            throw new ManifestException(where + " must be an object: " + json);
        }
        Entry entry = new Entry(kind, object, where);
        for (String member : kind.identity()) {
            if (!object.path(member).isTextual() || object.path(member).asText().isEmpty()) {
                throw new ManifestException(where + " requires \"" + member + "\", a non-empty text");
            }
        }
        entries.get(kind).add(entry);
    }

    /** @throws ManifestException if two entries declare the same object, because the second would undo the first */
    public void refuseDuplicates() throws ManifestException {
        for (ManifestKind kind : ManifestKind.values()) {
            Map<List<String>, Entry> seen = new HashMap<>();
            for (Entry entry : of(kind)) {
                Entry before = seen.put(kind.identityOf(entry.json()), entry);
                if (before != null) {
                    throw new ManifestException(kind.word() + " " + entry.key() + " is declared twice: "
                            + before.where()
                            + " and " + entry.where());
                }
            }
        }
    }
}
