package io.twinbell.node.task.reader;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.Misfire;
import io.twinbell.node.json.Fields;
import java.time.Duration;

/** Reads a task's misfire policy, and writes it back with its defaults. */
final class MisfireReader {
    private static final Duration THRESHOLD = Duration.ofSeconds(30);
    private static final Duration LONGEST_THRESHOLD = Duration.ofDays(3650);
    private static final int MAX = 100;
    private static final int LARGEST_MAX = 1000;

    private MisfireReader() {}

    /** @param given null if the task has none */
    static Misfire read(Fields given, ObjectNode normalized) {
        Misfire misfire = given == null
                ? new Misfire(Misfire.Policy.FIRE_ONCE, THRESHOLD, MAX, Misfire.Order.NEWEST)
                : members(given);
        normalized.put("policy", misfire.policy().name());
        normalized.put("threshold", misfire.threshold().toString());
        boolean isOfInterest = misfire.policy() == Misfire.Policy.FIRE_ALL
                || given != null && (given.json("max") != null || given.json("order") != null);
        if (isOfInterest) {
            normalized.put("max", misfire.max());
            normalized.put("order", misfire.order().name());
        }
        return misfire;
    }

    private static Misfire members(Fields given) {
        Misfire.Policy policy = given.choice("policy", Misfire.Policy.class, Misfire.Policy.FIRE_ONCE);
        Duration threshold = given.duration("threshold", Duration.ZERO, LONGEST_THRESHOLD);
        Long max = given.integer("max", 1, LARGEST_MAX);
        Misfire.Order order = given.choice("order", Misfire.Order.class, Misfire.Order.NEWEST);
        given.refuseUnknown();
        return new Misfire(
                policy, threshold == null ? THRESHOLD : threshold, max == null ? MAX : max.intValue(), order);
    }
}
