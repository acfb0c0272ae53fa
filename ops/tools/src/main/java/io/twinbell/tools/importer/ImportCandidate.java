package io.twinbell.tools.importer;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * One thing that another scheduler does.
 *
 * @param where in its file or its tables
 * @param told what it is there, for people
 * @param task what it would be here; null if it cannot be taken over
 * @param notes what is not quite the same here
 * @param obstacle why it cannot be taken over; null if it can
 */
public record ImportCandidate(String where, String told, ObjectNode task, List<String> notes, String obstacle) {
    public ImportCandidate {
        notes = List.copyOf(notes);
    }

    /** One that becomes a task. */
    public static ImportCandidate taken(String where, String told, ObjectNode task, List<String> notes) {
        return new ImportCandidate(where, told, task, notes, null);
    }

    /** One that stays where it is, and why. */
    public static ImportCandidate left(String where, String told, String obstacle) {
        return new ImportCandidate(where, told, null, List.of(), obstacle);
    }

    public boolean isTaken() {
        return obstacle == null;
    }
}
