package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Fields;
import java.util.List;

/**
 * The fields of the contract whose meaning comes later. Their documented defaults are accepted; anything else is
 * refused, because a policy that is ignored is worse than one that is missing.
 */
final class Deferred {
    private static final String NOT_YET = "is not supported yet";
    private static final int PRIORITY = 5;

    private Deferred() {}

    static Overlap overlap(Fields fields) {
        JsonNode given = fields.json("overlap");
        if (given != null && List.of("QUEUE", "CANCEL_RUNNING").contains(given.asText())) {
            fields.error("overlap", given.asText() + " " + NOT_YET);
            return Overlap.SKIP;
        }
        return fields.choice("overlap", Overlap.class, Overlap.SKIP);
    }

    static void refuse(Fields fields) {
        refuse(fields, "maxRuns", "jitter", "concurrencyKey");
        Long priority = fields.integer("priority", 0, 9);
        if (priority != null && priority != PRIORITY) {
            fields.error("priority", "other than " + PRIORITY + " " + NOT_YET);
        }
    }

    static void writeDefaults(ObjectNode normalized) {
        normalized.put("priority", PRIORITY);
    }

    private static void refuse(Fields fields, String... names) {
        for (String name : names) {
            if (fields.json(name) != null) {
                fields.error(name, NOT_YET);
            }
        }
    }
}
