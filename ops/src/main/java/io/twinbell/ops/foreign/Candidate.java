package io.twinbell.ops.foreign;

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
public record Candidate(String where, String told, ObjectNode task, List<String> notes, String obstacle) {
    public Candidate {
        notes = List.copyOf(notes);
    }

    /** One that becomes a task. */
    public static Candidate taken(String where, String told, ObjectNode task, List<String> notes) {
        return new Candidate(where, told, task, notes, null);
    }

    /** One that stays where it is, and why. */
    public static Candidate left(String where, String told, String obstacle) {
        return new Candidate(where, told, null, List.of(), obstacle);
    }

    public boolean isTaken() {
        return obstacle == null;
    }
}
