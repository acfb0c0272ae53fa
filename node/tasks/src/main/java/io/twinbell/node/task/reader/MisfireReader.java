package io.twinbell.node.task.reader;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.Misfire;
import io.twinbell.node.json.Fields;

/** Reads a task's misfire policy, and writes it back with its defaults. */
final class MisfireReader {
    private static final Misfire STANDARD = new Misfire(
            TaskMembers.MISFIRE_POLICY.standard(),
            TaskMembers.MISFIRE_THRESHOLD.standard(),
            TaskMembers.MISFIRE_MAX.standard().intValue(),
            TaskMembers.MISFIRE_ORDER.standard());

    private MisfireReader() {}

    /** @param given null if the task has none */
    static Misfire read(Fields given, ObjectNode normalized) {
        Misfire misfire = given == null ? STANDARD : members(given);
        TaskMembers.MISFIRE_POLICY.write(misfire.policy(), normalized);
        TaskMembers.MISFIRE_THRESHOLD.write(misfire.threshold(), normalized);
        boolean isOfInterest = misfire.policy() == Misfire.Policy.FIRE_ALL
                || given != null && (given.json("max") != null || given.json("order") != null);
        if (isOfInterest) {
            TaskMembers.MISFIRE_MAX.write((long) misfire.max(), normalized);
            TaskMembers.MISFIRE_ORDER.write(misfire.order(), normalized);
        }
        return misfire;
    }

    private static Misfire members(Fields given) {
        Misfire misfire = new Misfire(
                TaskMembers.MISFIRE_POLICY.read(given),
                TaskMembers.MISFIRE_THRESHOLD.read(given),
                TaskMembers.MISFIRE_MAX.read(given).intValue(),
                TaskMembers.MISFIRE_ORDER.read(given));
        given.refuseUnknown();
        return misfire;
    }
}
