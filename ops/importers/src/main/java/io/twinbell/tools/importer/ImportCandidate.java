package io.twinbell.tools.importer;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * A job of another scheduler that may be imported.
 *
 * @param where its position in the file or tables
 * @param description its description in the other scheduler, for people
 * @param task the task that it becomes; null if it cannot be imported
 * @param notes the differences from the original
 * @param obstacle why it cannot be imported; null if it can
 */
public record ImportCandidate(String where, String description, ObjectNode task, List<String> notes, String obstacle) {
    public ImportCandidate {
        notes = List.copyOf(notes);
    }

    /** A job that becomes a task. */
    public static ImportCandidate taken(String where, String description, ObjectNode task, List<String> notes) {
        return new ImportCandidate(where, description, task, notes, null);
    }

    /** A job that is not imported, with the reason. */
    public static ImportCandidate left(String where, String description, String obstacle) {
        return new ImportCandidate(where, description, null, List.of(), obstacle);
    }

    public boolean isTaken() {
        return obstacle == null;
    }
}
